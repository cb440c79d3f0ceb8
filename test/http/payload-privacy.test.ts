import { inspect } from "node:util";
import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createOrderService,
  createWorker,
  defineOperation,
  type HttpResponse,
  logEvents,
  type OrderServiceOptions,
  type ServiceEvent,
} from "async-request-reply";
import type { Claimed } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonPost, openService } from "../service/open-service.js";
import { type Change, request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { besidesJson } from "../support/all-formats.js";
import { deepText } from "../support/deep-text.js";
import { interceptBackend } from "../support/intercept-backend.js";
import { toHttpRequest } from "../support/plain-harness.js";

/** Canaries: private text in values, and in the names of members, elements and attributes. */
const VALUE = "kanarie-value";
const NAME = "kanarie-name";

/** An order service of which every event and log line is noted. `seen` returns all of them so far as one text. */
function watch(options: Partial<OrderServiceOptions> = {}) {
  const events: ServiceEvent[] = [];
  const lines: unknown[] = [];
  const log = (fields: object, message: string): void =>
    void lines.push(message, inspect(fields, { depth: null, showHidden: true }), JSON.stringify(fields));
  const logged = logEvents({ info: log, warn: log, error: log });
  const service = createOrderService({
    authorize: () => ({ id: "a" }),
    formats: besidesJson,
    backend: createMemoryBackend(),
    ...options,
    observe: (event) => {
      events.push(event);
      logged(event);
    },
  });
  const send = (change?: Change) => service.handle(toHttpRequest(submission(change)));
  const read = ({ headers }: HttpResponse) =>
    service.handle(toHttpRequest(request("GET", headers.location ?? "")));
  return { service, send, read, events, seen: () => `${deepText(events)}\n${lines.join("\n")}` };
}

const order = (members: string): string => `<order xmlns:x="urn:x">${members}</order>`;

const yangOrder = (members: string): string =>
  `<order xmlns="https://www.npmjs.com/package/async-request-reply#order-submission">${members}</order>`;

/** Refused bodies, each with a canary in it. */
const bodies: Readonly<Record<string, readonly string[]>> = {
  "application/json": [
    VALUE,
    `{"${NAME}": ${VALUE}}`,
    `{"${NAME}":"${VALUE}"`,
    `{"${NAME}":"${VALUE}","${NAME}":"${VALUE}"}`,
    `{"${NAME}":"${VALUE}\\ud800"}`,
    `{"${NAME}":1e999,"a":"${VALUE}"}`,
    `{"${NAME}":${`{"${NAME}":`.repeat(40)}"${VALUE}"${"}".repeat(41)}`,
    `{"itemId":"book","quantity":1,"${NAME}":"${VALUE}"}`,
    `{"itemId":"${VALUE}","quantity":"${VALUE}","a":{"${NAME}":1}}`,
    `["${VALUE}"]`,
  ],
  "application/yaml": [
    `${NAME}: [${VALUE}`,
    `${NAME}: ${VALUE}: x`,
    `${NAME}: "${VALUE}`,
    `${NAME}: &${VALUE} x`,
    `${NAME}: *${VALUE}`,
    `${NAME}: !${VALUE} x`,
    `%${NAME} ${VALUE}\n--- a`,
    `${NAME}: ${VALUE}\n${NAME}: ${VALUE}`,
    `\t${NAME}: ${VALUE}`,
    `? [${NAME}]\n: ${VALUE}`,
    `${NAME}: .inf\na: ${VALUE}`,
    `${NAME}: 12345678901234567890123\na: ${VALUE}`,
    `${NAME}: "\\ud800${VALUE}"`,
    `itemId: book\nquantity: 1\n${NAME}: ${VALUE}`,
    `${VALUE}`,
  ],
  "application/xml": [
    order(`<${NAME}>${VALUE}`),
    order(`<${NAME}>${VALUE}</x>`),
    order(`<a ${NAME}="${VALUE}"/>`),
    order(`<itemId ${NAME}="${VALUE}">a</itemId>`),
    order(`&${NAME};${VALUE}`),
    order(`<itemId>${VALUE}</itemId><${NAME}/><${NAME}/>`),
    order(`${VALUE}<${NAME}/>`),
    order(`<x:${NAME}>${VALUE}</x:${NAME}>`),
    order(`<z:${NAME}>${VALUE}</z:${NAME}>`),
    order(`<_xD800_${NAME}>${VALUE}</_xD800_${NAME}>`),
    order(`<?${NAME} ${VALUE}?>`),
    `<!DOCTYPE ${NAME} "${VALUE}">${order("")}`,
    `<${NAME}>${VALUE}</${NAME}>`,
    order(`<itemId>book</itemId><quantity>1</quantity><${NAME}>${VALUE}</${NAME}>`),
    order(`<itemId>${VALUE}</itemId><quantity>${VALUE}</quantity>`),
    order(`<itemId xmlns:y="http://www.w3.org/2001/XMLSchema-instance" y:nil="true">${VALUE}</itemId>`),
  ],
  "application/yang-data+json": [
    `{"${NAME}":"${VALUE}"}`,
    `{"${NAME}": ${VALUE}}`,
    `{"order-submission:order":{"order-submission:${NAME}":"${VALUE}"}}`,
    `{"order-submission:order":{"${NAME}":"${VALUE}"}}`,
    `{"order-submission:${NAME}":{"itemId":"${VALUE}"}}`,
  ],
  "application/yang-data+xml": [
    `<${NAME}>${VALUE}`,
    `<${NAME}>${VALUE}</${NAME}>`,
    `<order xmlns="urn:${NAME}">${VALUE}</order>`,
    yangOrder(`<${NAME}>${VALUE}</${NAME}>`),
    yangOrder(`<itemId ${NAME}="${VALUE}"/>`),
  ],
};

const refusedBodies = Object.entries(bodies).flatMap(([type, texts]) =>
  texts.map((body) => ({ type, body, shown: JSON.stringify(body.slice(0, 60)) })),
);

/** Refused header fields and targets. The reply contains nothing of them. */
const refusedFields: readonly Change[] = [
  { fields: { "idempotency-key": `${VALUE}, ${NAME}` } },
  { fields: { "idempotency-key": `"${VALUE}` } },
  { fields: { "idempotency-key": VALUE.repeat(400) } },
  { fields: { "idempotency-key": [VALUE, NAME] } },
  { fields: { "content-type": `${VALUE}/${NAME}` } },
  { fields: { "content-type": `application/json; charset=${VALUE}` } },
  { fields: { "content-type": [`text/${VALUE}`, `text/${NAME}`] } },
  { fields: { "content-encoding": VALUE } },
  { fields: { accept: `${VALUE}/${NAME}` } },
  { fields: { accept: VALUE.repeat(1_000) } },
  { fields: { authorization: [`Bearer ${VALUE}`, `Bearer ${NAME}`] } },
  { path: `/${VALUE}?${NAME}` },
  { method: VALUE },
  { method: "GET", path: `/operations/${VALUE}` },
];

describe("events and log lines contain no part of a payload", () => {
  it.each(refusedBodies)("when a body of $type is refused: $shown", async ({ type, body }) => {
    for (const accept of [undefined, type]) {
      const { send, seen, events } = watch();
      const reply = await send({ fields: { "content-type": type, accept }, body });
      expect([400, 422]).toContain(reply.status);
      expect(events).toMatchObject([{ event: "request.refused", status: reply.status }]);
      expect(seen()).not.toContain("kanarie");
      // The reply may name a member, so that the client can find the mistake. It never repeats a value.
      expect(deepText(reply)).not.toContain(VALUE);
    }
  });

  it("when a body is not UTF-8", async () => {
    for (const type of Object.keys(bodies)) {
      const { send, seen } = watch();
      const body = Buffer.concat([Buffer.from(VALUE), Buffer.of(0xff)]);
      const reply = await send({ fields: { "content-type": type }, body });
      expect(reply.status).toBe(400);
      expect(seen() + deepText(reply)).not.toContain("kanarie");
    }
  });

  it.each(refusedFields)("when a header field or a target is refused: %j", async (change) => {
    const { send, seen, events } = watch();
    const reply = await send(change);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(events).toMatchObject([{ event: "request.refused", status: reply.status }]);
    expect(seen() + deepText(reply)).not.toContain("kanarie");
  });

  it("when a key is reused with a different payload", async () => {
    const { send, seen } = watch();
    for (const status of [202, 422]) {
      const body = JSON.stringify({ itemId: VALUE, quantity: status });
      expect((await send({ fields: { "idempotency-key": NAME }, body })).status).toBe(status);
    }
    expect(seen()).not.toContain("kanarie");
  });

  it("when a contract is violated, except for the places that the schema names, and what it expects there", async () => {
    const { send, events } = watch();
    const reply = await send({ body: `{"quantity":0,"${NAME}":1}` });
    expect(JSON.parse(String(reply.body)).errors).toHaveLength(3);
    expect(deepText(reply)).toContain(`#/${NAME}`);
    expect((events[0] as { readonly error: Error }).error.message).toBe(
      "CONTRACT_VIOLATION: 3 violations: #/itemId: expected string; #/quantity: expected number > 0; " +
        "#: has an unknown member.",
    );
  });

  it("when a parser locates a mistake, except for its position", async () => {
    const { send, events } = watch();
    const fields = { "content-type": "application/yaml" };
    const reply = await send({ fields, body: `a: 1\n${NAME}: ${VALUE}: x` });
    const place = "(line 2, column 28)";
    expect(JSON.parse(String(reply.body)).detail).toBe(`The body is not valid YAML ${place}.`);
    expect((events[0] as { readonly error: Error }).error.message).toContain(place);
  });
});

describe("events and log lines contain no part of a stored operation", () => {
  /** Runs an operation that was submitted under an older contract or returns an invalid result. */
  async function run(returned: unknown, schemas: { input?: z.ZodType; result?: z.ZodType } = {}) {
    const older = { name: "orders", path: "/orders", input: z.unknown() } as const;
    const { service: before, backend, clock } = openService([defineOperation(older)]);
    const accepted = await before.handle(jsonPost("/orders", { [NAME]: VALUE, itemId: VALUE }));
    const watched = watch({ authorize: allowAnonymous(), backend });
    const strict = defineOperation({ ...older, ...schemas });
    const service = { ...watched.service, definitions: [strict] as const };
    const worker = createWorker({ ...service, runtime: { clock } }, { orders: () => returned });
    // A refused input first waits for a newer worker.
    for (let waits = 0; waits < 5; waits += 1) {
      await worker.runUntilIdle();
      await clock.advance(240_000);
    }
    return { ...watched, reply: await watched.read(accepted) };
  }

  it("when a new contract refuses a stored input", async () => {
    const { events, seen, reply } = await run(undefined, { input: z.strictObject({ itemId: z.number() }) });
    expect(events.at(-1)).toMatchObject({ event: "operation.failed", error: { code: "INPUT_REFUSED" } });
    expect(seen()).not.toContain("kanarie");
    expect(seen()).toContain("2 violations");
    expect(deepText(reply)).toContain(`#/${NAME}`);
  });

  // The error shows member names chosen by the processor, so these contain no canary.
  const cyclic: Record<string, unknown> = { text: VALUE };
  cyclic.self = { text: VALUE, cyclic };

  it("when a result breaks its contract", async () => {
    const result = z.strictObject({ ok: z.boolean() });
    const { events, seen } = await run({ ok: VALUE, [NAME]: VALUE }, { result });
    expect(events.at(-1)).toMatchObject({ event: "operation.failed", error: { code: "INVALID_RESULT" } });
    expect(seen()).not.toContain("kanarie");
    expect(seen()).toContain("2 violations");
  });

  it.each([
    ["is too large", { ok: true, value: VALUE.repeat(10_000) }],
    ["contains itself", cyclic],
    ["has no JSON form", { text: VALUE, amount: 1n }],
  ])("when a result %s", async (_, result) => {
    const { events, seen } = await run(result);
    expect(events.at(-1)).toMatchObject({ event: "operation.failed", error: { code: "INVALID_RESULT" } });
    expect(seen()).not.toContain("kanarie");
  });

  it.each([
    ["contains itself", cyclic],
    ["is too large", VALUE.repeat(10_000)],
  ])("when progress %s", async (_, value) => {
    const { send, service, seen, events } = watch();
    await send();
    await createWorker(service, { orders: (_, job) => job.progress(value) }).runUntilIdle();
    expect(events.at(-2)).toMatchObject({ event: "progress.dropped" });
    expect(seen()).not.toContain("kanarie");
  });

  /** Wraps a store so that it returns damaged records. */
  function damaged(backend: Backend, member: "input" | "result"): Backend {
    return interceptBackend(backend, async (call, proceed) => {
      const answer = (await proceed()) as Record<string, unknown> | undefined;
      const text = `{"${NAME}":${VALUE}`;
      if (call.method === "get") return { ...answer, [member]: text };
      if (call.method !== "claim") return answer;
      const { begun } = answer as unknown as Claimed;
      const damage = (operation: object): object => ({ ...operation, [member]: text });
      return { ...answer, begun: begun.map((each) => ({ ...each, operation: damage(each.operation) })) };
    });
  }

  it("when a stored result cannot be read", async () => {
    const { send, read, seen, events } = watch({ backend: damaged(createMemoryBackend(), "result") });
    const reply = await read(await send());
    expect(reply.status).toBe(500);
    expect(events.at(-1)).toMatchObject({ event: "request.refused", code: "CORRUPT_RECORD" });
    expect(seen() + deepText(reply)).not.toContain("kanarie");
  });

  it("when a stored input cannot be read", async () => {
    const clock = createManualClock();
    const backend = damaged(createMemoryBackend({ clock }), "input");
    const { send, service, seen, events } = watch({ backend, runtime: { clock, random: () => 0.5 } });
    await send();
    await createWorker(service, { orders: () => undefined }).runUntilIdle();
    expect(events.at(-1)).toMatchObject({ event: "operation.retried", error: { code: "CORRUPT_RECORD" } });
    expect(seen()).not.toContain("kanarie");
  });
});
