import {
  allowAnonymous,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type Job,
  logEvents,
  type ServiceEvent,
  type StandardSchema,
} from "async-request-reply";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { deepText } from "../support/deep-text.js";

const SECRET = "kanarie";
const tenant = "anonymous";

/** Submits a body that the schema refuses. Returns what the observer, the log and the caller in process see. */
async function refused(input: StandardSchema, body: unknown) {
  const events: ServiceEvent[] = [];
  const lines: string[] = [];
  const log = (fields: object): void => void lines.push(JSON.stringify(fields));
  const logged = logEvents({ info: log, warn: log, error: log });
  const reports = defineOperation({ name: "reports", path: "/reports", input });
  const service = createService({
    definitions: [reports],
    authorize: allowAnonymous(),
    backend: createMemoryBackend(),
    observe: (event) => {
      events.push(event);
      logged(event);
    },
  });
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", path: "/reports", headers, body: JSON.stringify(body) };
  expect((await service.handle(request)).status).toBe(422);
  const submitting = service.submit(reports, body as never, { tenant });
  const thrown = await submitting.then(
    () => undefined,
    ({ message }: Error) => message,
  );
  const [event] = events as [ServiceEvent & { readonly error: Error }];
  return { event: event.error.message, thrown, line: lines[0], seen: deepText(events) + lines };
}

const ofZod = z.strictObject({
  url: z.string(),
  year: z.int().min(2000),
  size: z.number().max(5).multipleOf(2),
  email: z.email(),
  kind: z.enum(["a", "b"]),
  tags: z.array(z.string().min(3)),
  either: z.union([z.boolean(), z.number()]),
  odd: z.string().refine(() => false, { error: ({ input }) => `not ${input}` }),
});

const ofValibot = v.strictObject({
  url: v.string(),
  year: v.pipe(v.number(), v.minValue(2000)),
  email: v.pipe(v.string(), v.email()),
  kind: v.picklist(["a", "b"]),
  odd: v.pipe(
    v.string(),
    v.check(
      () => false,
      ({ input }) => `not ${input}`,
    ),
  ),
});

const values = { year: 1, size: 7, email: SECRET, kind: SECRET, tags: ["x"], either: SECRET, odd: SECRET };

describe("the event and the error of a refused body", () => {
  it("name each place and what is expected there, for zod", async () => {
    const { event, thrown, line, seen } = await refused(ofZod, { ...values, [SECRET]: SECRET });
    expect(event).toBe(
      "CONTRACT_VIOLATION: 10 violations: #/url: expected string; #/year: expected number >= 2000; " +
        "#/size: expected number <= 5; #/size: expected multiple of 2; #/email: expected email; and 5 more.",
    );
    expect(thrown).toBe(event);
    expect(line).toContain("#/url: expected string");
    expect(seen).not.toContain(SECRET);
  });

  it("name each place and what is expected there, for valibot", async () => {
    const { year, email, kind, odd } = values;
    const { event, seen } = await refused(ofValibot, { url: "a", year, email, kind, odd, [SECRET]: SECRET });
    expect(event).toBe(
      "CONTRACT_VIOLATION: 5 violations: #/year: expected >=2000; #/email: violates email; " +
        '#/kind: expected ("a" | "b"); #/odd: violates check; #: has an unknown member.',
    );
    expect(seen).not.toContain(SECRET);
  });

  it.each([
    ["a choice", { kind: SECRET }, '#/kind: expected one of "a", "b"'],
    ["an item of a list", { tags: ["abc", "x"] }, "#/tags/1: expected string >= 3"],
    ["a union", { either: SECRET }, "#/either: violates invalid_union"],
    ["a rule of its own", { odd: SECRET }, "#/odd: violates custom"],
    ["an unknown member", { [SECRET]: 1 }, "#: has an unknown member"],
  ])("describe %s", async (_, body, expected) => {
    const { event, seen } = await refused(ofZod.partial(), body);
    expect(event).toBe(`CONTRACT_VIOLATION: 1 violation: ${expected}.`);
    expect(seen).not.toContain(SECRET);
  });

  it("hide the keys of a map that do not look like names", async () => {
    const body = { "ann@example.com": 1, "4111111111111111": 1, ["x".repeat(100)]: 1 };
    const { event } = await refused(z.record(z.string(), z.string()), body);
    expect(event.match(/#\/\*: expected string/g)).toHaveLength(3);
  });

  it("do not quote a validator that only has messages", async () => {
    const input: StandardSchema = {
      "~standard": {
        version: 1,
        vendor: "example",
        validate: (value) => ({ issues: [{ message: `not ${JSON.stringify(value)}`, path: ["a"] }] }),
      },
    };
    const { event, seen } = await refused(input, { a: SECRET });
    expect(event).toBe("CONTRACT_VIOLATION: 1 violation: #/a: is refused by the schema.");
    expect(seen).not.toContain(SECRET);
  });
});

describe("a cancellation", () => {
  it.each([
    ["the reason of the signal", (signal: AbortSignal) => signal.reason],
    ["an error that the reason caused", (signal: AbortSignal) => new Error("stop", { cause: signal.reason })],
  ])("is logged as info and without a stack, if the processor throws %s", async (_, toError) => {
    const lines: unknown[] = [];
    const log = (level: string) => (fields: object, message: string) =>
      void lines.push({ level, fields, message });
    const input = z.unknown();
    const reports = defineOperation({ name: "reports", path: "/reports", input, cancellable: true });
    const service = createService({
      definitions: [reports],
      backend: createMemoryBackend(),
      observe: logEvents({ info: log("info"), warn: log("warn"), error: log("error") }),
    });
    const { operationId } = await service.submit(reports, {}, { tenant });
    const run = async (__: unknown, { signal }: Job): Promise<never> => {
      await service.cancel(reports, operationId, { tenant });
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw toError(signal);
    };
    await createWorker(service, { reports: run }, { leaseMs: 1_000 }).runUntilIdle();
    const times = { createdAt: expect.any(Number), runMs: expect.any(Number) };
    const about = { operationId, definition: "reports", tenant, attempt: 1, ...times };
    const error = "AsyncReplyError: CANCELLED: The operation was cancelled.";
    expect(lines.at(-1)).toEqual({
      level: "info",
      message: "operation.failed",
      fields: { event: "operation.failed", ...about, error },
    });
    await service.close();
  });
});
