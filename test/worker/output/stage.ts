import { type Backend, createMemoryBackend, defineOperation, type WorkerOptions } from "async-request-reply";
import type { OutputAppend, OutputStore } from "async-request-reply/ports";
import * as z from "zod";
import { createStage } from "../../support/worker-stage.js";

/** Work with output and checkpoints. */
export const answers = defineOperation({
  name: "answers",
  path: "/answers",
  input: z.unknown(),
  chunk: z.string(),
  checkpoint: z.object({ next: z.int() }),
  maxOutputBytes: 200_000,
  cancellable: true,
});

type Answers = NonNullable<Parameters<ReturnType<typeof open>["worker"]>[0]["answers"]>;
/** A processor of answers. */
export type Answer = Extract<Answers, (...parameters: never[]) => unknown>;

const open = (change: (backend: Backend) => Backend) => createStage([answers], change);

/** Creates a stage with output, of which the methods can be replaced, and a submitted operation. */
export async function outputStage(methods: (output: OutputStore) => Partial<OutputStore> = () => ({})) {
  const appends: OutputAppend[] = [];
  let output = createMemoryBackend().output;
  const stage = open((backend) => {
    if (backend.output === undefined) throw new Error("expected the back end to keep output");
    const own = { ...backend.output, ...methods(backend.output) };
    output = {
      ...own,
      append: (given) => {
        appends.push(...given);
        return own.append(given);
      },
    };
    return { ...backend, output };
  });
  const id = await stage.submit({});
  return {
    ...stage,
    id,
    /** Appends that were tried. */
    appends,
    /** Runs what is due. */
    work: (run: Answer, options?: WorkerOptions) => stage.worker({ answers: run }, options).runUntilIdle(),
    /** Returns the chunks that stand. */
    output: async () => {
      const [slice] = await output.read([{ id, maxLength: 1_000_000 }]);
      return slice?.chunks.map((chunk) => JSON.parse(chunk) as unknown);
    },
  };
}
