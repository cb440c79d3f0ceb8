import { runInNewContext } from "node:vm";
import {
  type CreateResource,
  createMemoryBackend,
  createWorker,
  defineOperation,
  type Format,
  type HttpRequest,
  type Order,
  type ServiceEvent,
  type ServiceOptions,
  type StandardSchema,
} from "async-request-reply";
import { type BodyReader, problemType, type StandardResult } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { jsonPost, openService } from "../service/open-service.js";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { anything } from "../support/careless-schema.js";
import { createProcess, listed, typeOf } from "./service-process.js";

type Later = <T>(value: T) => Promise<T>;

const kinds: readonly { readonly kind: string; readonly later: Later }[] = [
  { kind: "a promise", later: (value) => Promise.resolve(value) },
  {
    kind: "an object with `then`",
    // biome-ignore lint/suspicious/noThenProperty: the tests are about thenables.
    later: (value) => ({ then: (resolve: (value: unknown) => void) => resolve(value) }) as never,
  },
  {
    kind: "a function with `then`",
    later: (value) =>
      Object.assign(() => {}, {
        // biome-ignore lint/suspicious/noThenProperty: the tests are about thenables.
        then: (resolve: (value: unknown) => void) => resolve(value),
      }) as never,
  },
  { kind: "a promise from another realm", later: runInNewContext("(value) => Promise.resolve(value)") },
];

function schemaOf<T>(validate: (value: unknown) => unknown): StandardSchema<unknown, T> {
  return { "~standard": { version: 1, vendor: "test", validate: validate as () => StandardResult<T> } };
}

/** A service with one definition, and a way to submit to it. */
function serve<Input, Result>(
  schemas: {
    readonly input: StandardSchema<unknown, Input>;
    readonly result?: StandardSchema<unknown, Result>;
  },
  options: Partial<ServiceOptions<never, never>> = {},
) {
  const jobs = defineOperation({ name: "jobs", path: "/jobs", ...schemas });
  const stage = openService([jobs], options as object);
  return { ...stage, post: (body = "1") => stage.service.handle(jsonPost("/jobs", body)) };
}

/** Returns the status of the reply to an order with this body. */
async function statusOf(body: HttpRequest["body"], backend = createMemoryBackend()): Promise<number> {
  const { service } = createProcess(backend);
  return (await service.handle({ ...jsonPost("/orders", ORDER), body })).status;
}

/** Validates numbers and doubles them. */
function validateAndDouble(value: unknown): StandardResult<number> {
  return typeof value === "number" ? { value: value * 2 } : { issues: [{ message: "must be a number" }] };
}

describe.each(kinds)("an asynchronous result that is $kind", ({ later }) => {
  it("from an input schema decides whether the body is accepted and what the processor gets", async () => {
    const { service, post } = serve({ input: schemaOf<number>((value) => later(validateAndDouble(value))) });
    expect((await post('"2"')).status).toBe(422);
    expect((await post("2")).status).toBe(202);
    const inputs: number[] = [];
    await createWorker(service, { jobs: (input) => void inputs.push(input) }).runUntilIdle();
    expect(inputs).toEqual([4]);
  });

  it.each([
    { returned: 2, state: "completed", result: "4" },
    { returned: "2", state: "failed", result: undefined },
  ])("from a result schema decides whether $returned is stored", async ({ returned, state, result }) => {
    const doubled = schemaOf<number>((value) => later(validateAndDouble(value)));
    const { service, backend, post } = serve({ input: anything, result: doubled });
    await post();
    await createWorker(service, { jobs: () => returned as number }).runUntilIdle();
    expect(await listed(backend)).toMatchObject([{ state, ...(result === undefined ? {} : { result }) }]);
  });

  it.each([
    ["authorize", { id: "a" }, 202],
    ["authorize", undefined, 401],
    ["admit", { status: 429, retryAfterSeconds: 1 }, 429],
    ["admit", undefined, 202],
  ])("from %s, with the value %o, leads to %i", async (hook, value, status) => {
    const { submit } = createProcess(createMemoryBackend(), { [hook]: () => later(value) as never });
    expect((await submit()).status).toBe(status);
  });

  it("from create becomes the reply", async () => {
    const create: CreateResource<Order, unknown> = () => later({ body: { made: true, status: "pending" } });
    const { submit } = createProcess(createMemoryBackend(), { create });
    const { status, body } = await submit();
    expect([status, body]).toEqual([201, '{"made":true,"status":"pending"}']);
  });

  it("from a processor becomes the result", async () => {
    const backend = createMemoryBackend();
    const { submit, service } = createProcess(backend);
    await submit();
    await createWorker(service, { orders: () => later({ shipped: 2 }) }).runUntilIdle();
    expect(await listed(backend)).toMatchObject([{ state: "completed", result: '{"shipped":2}' }]);
  });

  it("from a body reader becomes the body", async () => {
    const backend = createMemoryBackend();
    expect(await statusOf(() => later(new TextEncoder().encode(ORDER)), backend)).toBe(202);
    expect(await listed(backend)).toMatchObject([{ input: ORDER }]);
  });

  it("from a format becomes the parsed value", async () => {
    const format: Format = {
      mediaTypes: ["application/test"],
      problemMediaType: "application/problem+test",
      parse: () => later({ itemId: "", quantity: 0 }),
      serialize: (value) => JSON.stringify(value),
    };
    const { submit } = createProcess(createMemoryBackend(), { formats: [format] });
    expect((await submit({ fields: { "content-type": "application/test" } })).status).toBe(422);
  });
});

describe("a promise that never settles", () => {
  // biome-ignore lint/suspicious/noThenProperty: the tests are about thenables.
  const never = { then: () => {} } as never;

  it.each(["authorize", "admit"])("from %s times out even if it is only a thenable", async (hook) => {
    const clock = createManualClock();
    const { submit } = createProcess(createMemoryBackend(), { [hook]: () => never, runtime: { clock } });
    const answering = submit();
    await clock.advance(5_000);
    expect((await answering).status).toBe(503);
  });
});

/** Validator results with neither `value` nor `issues`, which Standard Schema forbids. */
const broken = [
  { answer: undefined },
  { answer: null },
  { answer: true },
  { answer: "valid" },
  { answer: {} },
  { answer: { issues: undefined } },
  { answer: { issues: "none" } },
  { answer: { value: 1, issues: null } },
  { answer: Promise.resolve() },
];

describe("a validator", () => {
  it.each(broken)("that returns $answer leads to a 500 and records nothing", async ({ answer }) => {
    const { backend, events, post } = serve({ input: schemaOf(() => answer) });
    const reply = await post();
    expect([reply.status, typeOf(reply)]).toEqual([500, problemType("internal")]);
    expect(await listed(backend)).toEqual([]);
    expect(events).toMatchObject([{ event: "request.refused", status: 500, code: "INTERNAL" }]);
    expect(String((events[0] as { error?: unknown }).error)).toContain("neither `value` nor `issues`");
  });

  it.each(["input", "result"] as const)(
    "of the %s that breaks while a worker runs costs an attempt and not the operation",
    async (member) => {
      let answer: unknown = { value: 1 };
      const schemas = { input: anything, result: anything, [member]: schemaOf(() => answer) };
      const { service, backend, clock, events, post } = serve(schemas);
      await post();
      answer = {};
      const worker = createWorker(
        { ...service, runtime: { clock, random: () => 0.5 } },
        { jobs: () => ({}) },
      );
      await worker.runUntilIdle();
      expect(events.at(-1)).toMatchObject({ event: "operation.retried", error: { code: "INTERNAL" } });
      answer = { value: 1 };
      await clock.advance(3_600_000);
      await worker.runUntilIdle();
      expect(await listed(backend)).toMatchObject([{ state: "completed" }]);
    },
  );

  it("may return undefined as the value", async () => {
    const { post } = serve({ input: schemaOf(() => ({ value: undefined })) });
    expect((await post()).status).toBe(202);
  });
});

describe("an unusual result of a hook", () => {
  it.each([true, 429, "no", {}, { status: 200 }])(
    "leads to a 500 if admit returns %j, and the event says what is expected",
    async (answer) => {
      const events: ServiceEvent[] = [];
      const { submit } = createProcess(createMemoryBackend(), {
        admit: () => answer as never,
        observe: (event) => events.push(event),
      });
      expect((await submit()).status).toBe(500);
      expect(String((events[0] as { error?: unknown }).error)).toContain("retryAfterSeconds");
    },
  );

  it("admits the request if admit returns null instead of undefined", async () => {
    const { submit } = createProcess(createMemoryBackend(), { admit: () => null as never });
    expect((await submit()).status).toBe(202);
  });

  it.each([undefined, "{}", [123, 125], new Uint16Array(2)])(
    "leads to a 500 if a body reader returns %j",
    async (bytes) => {
      for (const body of [() => bytes, async () => bytes] as unknown as BodyReader[])
        expect(await statusOf(body)).toBe(500);
    },
  );

  it("leads to a 500 if a chunk of a body is not bytes", async () => {
    const body = (async function* () {
      yield ORDER;
    })() as unknown as AsyncIterable<Uint8Array>;
    expect(await statusOf(body)).toBe(500);
  });

  it("leads to a 413 if a body reader returns more bytes than allowed", async () => {
    expect(await statusOf((maxBytes) => new Uint8Array(maxBytes + 1))).toBe(413);
  });

  it("is accepted if it consists of bytes from another realm", async () => {
    const codes = [...new TextEncoder().encode(ORDER)];
    const bytes: Uint8Array = runInNewContext("(codes) => new Uint8Array(codes)")(codes);
    const bodies = [bytes, () => bytes, async () => bytes];
    expect(await Promise.all(bodies.map((body) => statusOf(body)))).toEqual([202, 202, 202]);
  });
});
