import { createMemoryBackend, createService, createWorker, defineOperation } from "async-request-reply";
import { type ConsoleAccess, createConsole } from "async-request-reply/console";
import { createOperator } from "async-request-reply/operator";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { dataOf } from "./stage.js";

const UNKNOWN = "01900000-0000-7000-8000-00000000ffff";
const input = z.unknown();
const answers = defineOperation({
  name: "answers",
  path: "/answers",
  input,
  chunk: z.string(),
  checkpoint: z.object({ secret: z.string() }),
});
const reports = defineOperation({ name: "reports", path: "/reports", input });

/** A console beside an answer and a report that have ended. */
async function createStage(access: ConsoleAccess) {
  const clock = createManualClock();
  const backend = createMemoryBackend({ clock });
  const definitions = [answers, reports] as const;
  const service = createService({ definitions, backend, authorize: () => undefined, observe: false });
  const operator = createOperator({ backend, definitions, observe: false });
  const console = createConsole({ operator, authorize: () => access, observe: false });
  const submit = async (definition: typeof answers | typeof reports) =>
    (await service.submit(definition, {}, { tenant: "a" })).operationId;
  const [answer, report] = [await submit(answers), await submit(reports)];
  const work = {
    answers: async (_: unknown, job: Parameters<Answer>[1]) => {
      await job.write("hello");
      await job.checkpoint({ secret: "s3cret" });
      await job.write(" world");
    },
    reports: () => "done",
  };
  await createWorker(service, work).runUntilIdle();
  const send = (path: string) => console.handle({ method: "GET", path, headers: {} });
  return { clock, answer, report, send };
}
type Answer = Extract<
  NonNullable<Parameters<typeof createWorker<readonly [typeof answers]>>[1]["answers"]>,
  (...parameters: never[]) => unknown
>;

describe("the output of an operation", () => {
  it("is read by callers who may operate, and on from a position", async () => {
    const { answer, send } = await createStage("operate");
    const path = `/ops/api/operations/${answer}/output`;
    const part = dataOf<{ readonly position: string }>(await send(path));
    expect(part).toEqual({
      at: 0,
      chunks: ["hello", " world"],
      position: expect.any(String),
      closed: true,
    });
    expect(dataOf(await send(`${path}?from=${part.position}`))).toEqual({ ...part, at: 2, chunks: [] });
  });

  it("is kept from callers who may only observe", async () => {
    const { answer, send } = await createStage("observe");
    const reply = await send(`/api/operations/${answer}/output`);
    expect(reply.status).toBe(403);
    expect(reply.body).not.toContain("hello");
  });

  it.each([
    ["an unknown operation", UNKNOWN, 404],
    ["a position that is none", "answer", 400],
    ["a definition without output", "report", 400],
  ])("is refused for %s", async (_, which, status) => {
    const { answer, report, send } = await createStage("operate");
    const id = { answer, report }[which] ?? which;
    const query = which === "answer" ? "?from=1" : "";
    expect((await send(`/api/operations/${id}/output${query}`)).status).toBe(status);
  });
});

describe("the details of an operation", () => {
  it.each(["observe", "operate"] as const)(
    "say when its last checkpoint was saved, but never what it is, to callers who may %s",
    async (access) => {
      const { clock, answer, report, send } = await createStage(access);
      const reply = await send(`/api/operations/${answer}`);
      const lastCheckpointAt = new Date(clock.now()).toISOString();
      expect(dataOf(reply)).toMatchObject({ hasOutput: true, lastCheckpointAt });
      expect(reply.body).not.toMatch(/s3cret|hello/);
      const other = dataOf(await send(`/api/operations/${report}`));
      expect(other).toMatchObject({ hasOutput: false });
      expect(other).not.toHaveProperty("lastCheckpointAt");
    },
  );
});
