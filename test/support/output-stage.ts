import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createService,
  defineOperation,
  type HttpResponse,
  type RequestContext,
  type ServiceEvent,
} from "async-request-reply";
import type { SettingsOptions } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import * as z from "zod";
import type { OutputRequest, OutputStore } from "../../src/ports/output-store.js";
import { beginWriting, type OutputWriter } from "./output-writer.js";

export const tenant = "anonymous";
/** Work with output, and work without. */
export const answers = defineOperation({
  name: "answers",
  path: "/answers",
  input: z.string(),
  chunk: z.string(),
  cancellable: true,
});
export const plain = defineOperation({ name: "plain", path: "/plain", input: z.string() });

interface Given extends Partial<SettingsOptions> {
  readonly random?: () => number;
  /** Answers reads of outputs instead of the store. */
  readonly onRead?: (read: () => ReturnType<OutputStore["read"]>) => ReturnType<OutputStore["read"]>;
  /** Changes the store that the service sees. */
  readonly change?: (backend: Backend<never>) => Backend<never>;
}

/** A service on a stopped clock whose work writes output. */
export function createOutputStage(given: Given = {}) {
  const { random = () => 0, onRead = (read) => read(), change = (same) => same, ...settings } = given;
  const clock = createManualClock();
  const memory = createMemoryBackend({ clock });
  const reads: (readonly OutputRequest[])[] = [];
  const events: ServiceEvent[] = [];
  const output: OutputStore = {
    ...memory.output,
    read: (requests) => {
      reads.push(requests);
      return onRead(() => memory.output.read(requests));
    },
  };
  const service = createService({
    authorize: allowAnonymous(),
    definitions: [answers, plain],
    backend: change({ ...memory, output }),
    runtime: { clock, random },
    observe: (event) => events.push(event),
    ...settings,
  });
  return {
    service,
    backend: memory,
    clock,
    events,
    /** Reads of outputs so far, one list of requests per call. */
    reads,
    /** Submits work and begins it. */
    start: async () => beginWriting(memory, (await service.submit(answers, "?", { tenant })).operationId),
    /** Requests the output of an operation. */
    get: (
      { operationId }: Pick<OutputWriter, "operationId">,
      query = "",
      { method = "GET", fields = {}, context }: RequestChange = {},
    ): Promise<HttpResponse> =>
      service.handle({ method, path: `/operations/${operationId}/output${query}`, headers: fields }, context),
  };
}

interface RequestChange {
  readonly method?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly context?: RequestContext;
}

/** A service on a stopped clock whose work writes output. */
export type OutputStage = ReturnType<typeof createOutputStage>;

/** Returns the text of a place. */
export function place(epoch: number, count: number): string {
  return [epoch, count].map((number) => String(number).padStart(16, "0")).join("_");
}

/** The status, the chunks as one text, and the header fields of the protocol in short. */
export function seen({ status, headers, body }: HttpResponse): unknown {
  const chunks = typeof body === "string" && body.startsWith("[") ? (JSON.parse(body) as string[]) : [];
  const marks = ["stream-up-to-date", "stream-closed"].filter((name) => headers[name] === "true");
  return [status, chunks.join(""), headers["stream-next-offset"], ...marks.map((name) => name.slice(7))];
}
