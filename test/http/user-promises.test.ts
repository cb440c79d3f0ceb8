import { runInNewContext } from "node:vm";
import {
  type Admit,
  type Authorize,
  type BodyReader,
  type CreateResource,
  createMemoryBackend,
  createOrderService,
  createService,
  createWorker,
  defineOperation,
  type Order,
  type Principal,
  problemType,
  type ServiceEvent,
  type StandardResult,
  type StandardSchema,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { submission } from "../../src/testing/suites/adapter/orders-fixture.js";
import { toHttpRequest } from "../plain-harness.js";
import { createProcess, listed, typeOf } from "./service-process.js";

type Later = <T>(value: T) => Promise<T>;

const kinds: readonly { readonly kind: string; readonly later: Later }[] = [
  { kind: "a promise", later: (value) => Promise.resolve(value) },
  {
    kind: "an object with `then`",
    // biome-ignore lint/suspicious/noThenProperty: thenables are what this is about.
    later: (value) => ({ then: (resolve: (value: unknown) => void) => resolve(value) }) as never,
  },
  {
    kind: "a function with `then`",
    later: (value) =>
      Object.assign(() => {}, {
        // biome-ignore lint/suspicious/noThenProperty: thenables are what this is about.
        then: (resolve: (value: unknown) => void) => resolve(value),
      }) as never,
  },
  { kind: "a promise of another realm", later: runInNewContext("(value) => Promise.resolve(value)") },
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

/** Takes numbers and returns them doubled. */
function judge(value: unknown): StandardResult<number> {
  return typeof value === "number" ? { value: value * 2 } : { issues: [{ message: "must be a number" }] };
}

describe.each(kinds)("an answer that is $kind", ({ later }) => {
  it("of an input schema decides whether the body is accepted, and what the processor gets", async () => {
    const doubles = defineOperation({
      name: "doubles",
      path: "/doubles",
      input: schemaOf<number>((value) => later(judge(value))),
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
  ])("of a result schema decides whether $returned is kept", async ({ returned, state, result }) => {
    const doubles = defineOperation({
      name: "doubles",
      path: "/doubles",
      input: schemaOf<unknown>((value) => ({ value })),
      result: schemaOf<number>((value) => later(judge(value))),
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
  ])("of authorize with $principal is a $status", async ({ principal, status }) => {
    const authorize: Authorize = () => later<Principal | undefined>(principal);
    const { submit } = createProcess(createMemoryBackend(), { authorize });
    expect((await submit()).status).toBe(status);
  });

  it.each([
    { refusal: { status: 429, retryAfterSeconds: 1 } as const, status: 429 },
    { refusal: undefined, status: 202 },
  ])("of admit with $refusal is a $status", async ({ refusal, status }) => {
    const admit: Admit = () => later(refusal);
    const { submit } = createProcess(createMemoryBackend(), { admit });
    expect((await submit()).status).toBe(status);
  });

  it("of create becomes the reply", async () => {
    const create: CreateResource<Order, unknown> = () => later({ body: { made: true, status: "pending" } });
    const { submit } = createProcess(createMemoryBackend(), { create });
    const { status, body } = await submit();
    expect([status, body]).toEqual([201, '{"made":true,"status":"pending"}']);
  });

  it("of a processor becomes the result", async () => {
    const backend = createMemoryBackend();
    const { submit, service } = createProcess(backend);
    await submit();
    await createWorker(service, { orders: () => later({ shipped: 2 }) }).runUntilIdle();
    expect(await listed(backend)).toMatchObject([{ state: "completed", result: '{"shipped":2}' }]);
  });

  it("of a body reader is read", async () => {
    const backend = createMemoryBackend();
    const { service } = createProcess(backend);
    const bytes = new TextEncoder().encode('{"itemId":"book","quantity":2}');
    const body: BodyReader = () => later(bytes);
    expect((await service.handle({ ...toHttpRequest(submission()), body })).status).toBe(202);
    expect(await listed(backend)).toMatchObject([{ input: '{"itemId":"book","quantity":2}' }]);
  });

  it("of a format is the value that it read", async () => {
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

describe("an answer that never comes", () => {
  // biome-ignore lint/suspicious/noThenProperty: thenables are what this is about.
  const never = { then: () => {} } as never;

  it.each(["authorize", "admit"])("of %s is given up, also when it is no native promise", async (hook) => {
    const clock = createManualClock();
    const { submit } = createProcess(createMemoryBackend(), { [hook]: () => never, runtime: { clock } });
    const answering = submit();
    await clock.advance(5_000);
    expect((await answering).status).toBe(503);
  });
});

/** Answers of a validator that say neither that a value is valid nor that it is not. */
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
  it.each(broken)("that answers $answer has accepted nothing: the reply is a 500", async ({ answer }) => {
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
    "of the %s that is broken while a worker runs costs an attempt and not the operation",
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
        runtime: { clock },
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

  it("may make undefined of a value", async () => {
    const nothing = defineOperation({
      name: "nothing",
      path: "/nothing",
      input: schemaOf<undefined>(() => ({ value: undefined })),
    });
    const service = createService({ definitions: [nothing], authorize: () => ({ id: "a" }) });
    expect((await service.handle(toHttpRequest(submission({ path: "/nothing" })))).status).toBe(202);
  });
});

describe("a hook that answers with something else than it should", () => {
  it.each([true, 429, "no", {}, { status: 200 }])(
    "admits nobody when admit returns %j, and the event says what is expected",
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

  it("admits when admit returns null, which is nothing", async () => {
    const { submit } = createProcess(createMemoryBackend(), { admit: () => null as never });
    expect((await submit()).status).toBe(202);
  });

  it.each([undefined, "{}", [123, 125], new Uint16Array(2)])(
    "is a mistake of the platform when a body reader returns %j",
    async (bytes) => {
      const { service } = createProcess(createMemoryBackend());
      for (const body of [() => bytes, async () => bytes] as unknown as BodyReader[])
        expect((await service.handle({ ...toHttpRequest(submission()), body })).status).toBe(500);
    },
  );

  it("is a mistake of the platform when a piece of a body is not made of bytes", async () => {
    const { service } = createProcess(createMemoryBackend());
    const body = (async function* () {
      yield '{"itemId":"book","quantity":2}';
    })() as unknown as AsyncIterable<Uint8Array>;
    expect((await service.handle({ ...toHttpRequest(submission()), body })).status).toBe(500);
  });

  it("refuses what a body reader returns beyond the bound that it was given", async () => {
    const { service } = createProcess(createMemoryBackend());
    const body: BodyReader = (maxBytes) => new Uint8Array(maxBytes + 1);
    expect((await service.handle({ ...toHttpRequest(submission()), body })).status).toBe(413);
  });

  it("reads bytes of another realm", async () => {
    const { service } = createProcess(createMemoryBackend());
    const bytes: Uint8Array = runInNewContext("(codes) => new Uint8Array(codes)")([
      ...new TextEncoder().encode('{"itemId":"book","quantity":2}'),
    ]);
    const bodies = [bytes, () => bytes, async () => bytes];
    const replies = bodies.map((body) => service.handle({ ...toHttpRequest(submission()), body }));
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([202, 202, 202]);
  });
});
