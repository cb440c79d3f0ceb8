import { runInNewContext } from "node:vm";
import {
  type Admit,
  type Authorize,
  type CreateResource,
  createMemoryBackend,
  createOrderService,
  createService,
  createWorker,
  defineOperation,
  type Order,
  type Principal,
  type ServiceEvent,
  type StandardSchema,
} from "async-request-reply";
import { type BodyReader, problemType, type StandardResult } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { toHttpRequest } from "../support/plain-harness.js";
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
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: validate as (value: unknown) => StandardResult<T>,
    },
  };
}

/** Validates numbers and doubles them. */
function validateAndDouble(value: unknown): StandardResult<number> {
  return typeof value === "number" ? { value: value * 2 } : { issues: [{ message: "must be a number" }] };
}

describe.each(kinds)("an asynchronous result that is $kind", ({ later }) => {
  it("from an input schema decides whether the body is accepted and what the processor gets", async () => {
    const doubles = defineOperation({
      name: "doubles",
      path: "/doubles",
      input: schemaOf<number>((value) => later(validateAndDouble(value))),
    });
    const service = createService({ definitions: [doubles], authorize: () => ({ id: "a" }) });
    const post = (body: string) => service.handle(toHttpRequest(submission({ path: "/doubles", body })));
    expect((await post('"2"')).status).toBe(422);
    expect((await post("2")).status).toBe(202);
    const inputs: number[] = [];
    await createWorker(service, { doubles: (input) => void inputs.push(input) }).runUntilIdle();
    expect(inputs).toEqual([4]);
  });

  it.each([
    { returned: 2, state: "completed", result: "4" },
    { returned: "2", state: "failed", result: undefined },
  ])("from a result schema decides whether $returned is stored", async ({ returned, state, result }) => {
    const doubles = defineOperation({
      name: "doubles",
      path: "/doubles",
      input: schemaOf<unknown>((value) => ({ value })),
      result: schemaOf<number>((value) => later(validateAndDouble(value))),
    });
    const backend = createMemoryBackend();
    const service = createService({ definitions: [doubles], backend, authorize: () => ({ id: "a" }) });
    await service.handle(toHttpRequest(submission({ path: "/doubles", body: "1" })));
    await createWorker(service, { doubles: () => returned as number }).runUntilIdle();
    expect(await listed(backend)).toMatchObject([{ state, ...(result === undefined ? {} : { result }) }]);
  });

  it.each([
    { principal: { id: "a" }, status: 202 },
    { principal: undefined, status: 401 },
  ])("from authorize, with the value $principal, leads to $status", async ({ principal, status }) => {
    const authorize: Authorize = () => later<Principal | undefined>(principal);
    const { submit } = createProcess(createMemoryBackend(), { authorize });
    expect((await submit()).status).toBe(status);
  });

  it.each([
    { refusal: { status: 429, retryAfterSeconds: 1 } as const, status: 429 },
    { refusal: undefined, status: 202 },
  ])("from admit, with the value $refusal, leads to $status", async ({ refusal, status }) => {
    const admit: Admit = () => later(refusal);
    const { submit } = createProcess(createMemoryBackend(), { admit });
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
    const { service } = createProcess(backend);
    const bytes = new TextEncoder().encode('{"itemId":"book","quantity":2}');
    const body: BodyReader = () => later(bytes);
    expect((await service.handle({ ...toHttpRequest(submission()), body })).status).toBe(202);
    expect(await listed(backend)).toMatchObject([{ input: '{"itemId":"book","quantity":2}' }]);
  });

  it("from a format becomes the parsed value", async () => {
    const service = createOrderService({
      authorize: () => ({ id: "a" }),
      formats: [
        {
          mediaTypes: ["application/test"],
          problemMediaType: "application/problem+test",
          parse: () => later({ itemId: "", quantity: 0 }),
          serialize: (value) => JSON.stringify(value),
        },
      ],
    });
    const asked = submission({ fields: { "content-type": "application/test" } });
    expect((await service.handle(toHttpRequest(asked))).status).toBe(422);
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
const broken: readonly { readonly answer: unknown }[] = [
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
    const events: ServiceEvent[] = [];
    const backend = createMemoryBackend();
    const broken = defineOperation({ name: "broken", path: "/broken", input: schemaOf(() => answer) });
    const service = createService({
      definitions: [broken],
      backend,
      authorize: () => ({ id: "a" }),
      observe: (event) => events.push(event),
    });
    const reply = await service.handle(toHttpRequest(submission({ path: "/broken" })));
    expect([reply.status, typeOf(reply)]).toEqual([500, problemType("internal")]);
    expect(await listed(backend)).toEqual([]);
    expect(events).toMatchObject([{ event: "request.refused", status: 500, code: "INTERNAL" }]);
    expect(String((events[0] as { error?: unknown }).error)).toContain("neither `value` nor `issues`");
  });

  it.each(["input", "result"] as const)(
    "of the %s that breaks while a worker runs costs an attempt and not the operation",
    async (member) => {
      const events: ServiceEvent[] = [];
      const clock = createManualClock();
      const backend = createMemoryBackend({ clock });
      let answer: unknown = { value: 1 };
      const fragile = schemaOf<unknown>(() => answer);
      const sound = schemaOf<unknown>((value) => ({ value }));
      const definition = defineOperation({
        name: "fragile",
        path: "/fragile",
        input: sound,
        result: sound,
        ...{ [member]: fragile },
      });
      const service = createService({
        definitions: [definition],
        backend,
        authorize: () => ({ id: "a" }),
        observe: (event) => events.push(event),
        runtime: { clock, random: () => 0.5 },
      });
      await service.handle(toHttpRequest(submission({ path: "/fragile" })));
      answer = {};
      const worker = createWorker(service, { fragile: () => 1 });
      await worker.runUntilIdle();
      expect(events.at(-1)).toMatchObject({ event: "operation.retried", error: { code: "INTERNAL" } });
      answer = { value: 1 };
      await clock.advance(3_600_000);
      await worker.runUntilIdle();
      expect(await listed(backend)).toMatchObject([{ state: "completed" }]);
    },
  );

  it("may return undefined as the value", async () => {
    const nothing = defineOperation({
      name: "nothing",
      path: "/nothing",
      input: schemaOf<undefined>(() => ({ value: undefined })),
    });
    const service = createService({ definitions: [nothing], authorize: () => ({ id: "a" }) });
    expect((await service.handle(toHttpRequest(submission({ path: "/nothing" })))).status).toBe(202);
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
      const { service } = createProcess(createMemoryBackend());
      for (const body of [() => bytes, async () => bytes] as unknown as BodyReader[])
        expect((await service.handle({ ...toHttpRequest(submission()), body })).status).toBe(500);
    },
  );

  it("leads to a 500 if a chunk of a body is not bytes", async () => {
    const { service } = createProcess(createMemoryBackend());
    const body = (async function* () {
      yield '{"itemId":"book","quantity":2}';
    })() as unknown as AsyncIterable<Uint8Array>;
    expect((await service.handle({ ...toHttpRequest(submission()), body })).status).toBe(500);
  });

  it("leads to a 413 if a body reader returns more bytes than allowed", async () => {
    const { service } = createProcess(createMemoryBackend());
    const body: BodyReader = (maxBytes) => new Uint8Array(maxBytes + 1);
    expect((await service.handle({ ...toHttpRequest(submission()), body })).status).toBe(413);
  });

  it("is accepted if it consists of bytes from another realm", async () => {
    const { service } = createProcess(createMemoryBackend());
    const bytes: Uint8Array = runInNewContext("(codes) => new Uint8Array(codes)")([
      ...new TextEncoder().encode('{"itemId":"book","quantity":2}'),
    ]);
    const bodies = [bytes, () => bytes, async () => bytes];
    const replies = bodies.map((body) => service.handle({ ...toHttpRequest(submission()), body }));
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([202, 202, 202]);
  });
});
