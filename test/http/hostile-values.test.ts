import {
  AsyncReplyError,
  createMemoryBackend,
  defineOperation,
  forbidden,
  type HttpRequest,
  type HttpResponse,
  logEvents,
  type OrderServiceOptions,
  type ServiceEvent,
  type StandardSchema,
} from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { openService } from "../service/open-service.js";
import { submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { toHttpRequest } from "../support/plain-harness.js";
import { replacing } from "../support/replacing.js";
import { failOnUnhandledRejections, unreadable } from "../support/unreadable.js";
import { createProcess, typeOf } from "./service-process.js";

failOnUnhandledRejections();

const post = toHttpRequest(submission({ fields: { "idempotency-key": "k" } }));

const submit = (options: Partial<OrderServiceOptions>, change: Partial<HttpRequest> = {}) =>
  createProcess(createMemoryBackend(), options).service.handle({ ...post, ...change });

function submitWith(validate: StandardSchema["~standard"]["validate"]) {
  const input: StandardSchema = { "~standard": { version: 1, vendor: "test", validate } };
  return openService([defineOperation({ name: "orders", path: "/orders", input })]).service.handle(post);
}

async function outcomeOf(answering: Promise<HttpResponse>) {
  const reply = await answering;
  return [reply.status, typeOf(reply)];
}

const notAuthorized = [503, problemType("authorization-unavailable")];
const internal = [500, problemType("internal")];
const notCreated = [503, problemType("creation-failed")];
const malformed = [400, problemType("malformed-body")];

describe.each(unreadable.map(([name]) => name))("%s", (name) => {
  const hostile = new Map(unreadable).get(name) as never;
  const rethrow = (): never => {
    throw hostile;
  };
  /** Three ways in which a function of the user can go wrong. */
  const ways = [rethrow, () => Promise.reject(hostile), () => hostile];

  it("denies access and is logged when it comes from `authorize`", async () => {
    const lines: unknown[] = [];
    const take = (fields: object, message: string) => lines.push([message, fields]);
    const observe = logEvents({ info: take, warn: take, error: take });
    for (const authorize of ways)
      expect(await outcomeOf(submit({ authorize, observe }))).toEqual(notAuthorized);
    const error = { code: "AUTHORIZATION_UNAVAILABLE" };
    const refused = { event: "request.refused", status: 503, error };
    expect(lines).toMatchObject(Array.from({ length: 3 }, () => ["request.refused", refused]));
  });

  it("leads to an internal error when it comes from `admit`", async () => {
    for (const admit of ways) expect(await outcomeOf(submit({ admit }))).toEqual(internal);
  });

  it("leads to a failed creation when it comes from `create`", async () => {
    for (const create of [...ways, () => ({ body: hostile })])
      expect(await outcomeOf(submit({ create }))).toEqual(notCreated);
  });

  it("leads to an internal error when it comes from a schema", async () => {
    for (const validate of [...ways, () => ({ issues: [hostile] })])
      expect(await outcomeOf(submitWith(validate))).toEqual(internal);
  });

  it("changes nothing when it comes from an observer", async () => {
    for (const observe of ways) expect((await submit({ observe })).status).toBe(202);
  });

  it("counts as a truncated body when it comes from the body", async () => {
    const iteratorOf = (iterator: unknown) => ({ [Symbol.asyncIterator]: () => iterator as never });
    const bodies = [
      rethrow,
      () => Promise.reject(hostile),
      { [Symbol.asyncIterator]: rethrow },
      iteratorOf(hostile),
      iteratorOf({ next: rethrow }),
      iteratorOf({ next: () => Promise.reject(hostile) }),
    ];
    for (const body of bodies) expect(await outcomeOf(submit({}, { body }))).toEqual(malformed);
  });

  it("leads to an internal error when it is a chunk of the body", async () => {
    const next = async () => ({ value: hostile });
    const body = { [Symbol.asyncIterator]: () => ({ next }) };
    expect(await outcomeOf(submit({}, { body }))).toEqual(internal);
  });

  it("does not replace the reply when it comes from closing the body", async () => {
    for (const end of ways) {
      const next = async () => ({ value: new Uint8Array(70_000) });
      const body = { [Symbol.asyncIterator]: () => ({ next, return: end }) };
      expect(await outcomeOf(submit({}, { body }))).toEqual([413, problemType("body-too-large")]);
    }
  });

  it("changes nothing when it comes from `waitUntil`", async () => {
    const { service } = createProcess(createMemoryBackend());
    expect((await service.handle(post, { waitUntil: rethrow })).status).toBe(202);
  });

  it("leads to an internal error when a store throws it", async () => {
    const memory = createMemoryBackend();
    const submissions = replacing(memory.submissions, { record: () => Promise.reject(hostile) });
    expect(await outcomeOf(submit({ backend: { ...memory, submissions } }))).toEqual(internal);
  });
});

describe("an error that cannot be written as a problem", () => {
  const hostile = new Map(unreadable);

  it.each([
    ["violations that JSON cannot represent", { violations: [{ pointer: "#", detail: 1n as never }] }],
    ["violations that throw", { violations: hostile.get("a revoked Proxy") as never }],
    ["header fields that throw", { headers: hostile.get("a Proxy whose traps throw") as never }],
  ])("leads to an internal error and reaches the observer unchanged: %s", async (_, context) => {
    const error = new AsyncReplyError("FORBIDDEN", "No.", context);
    const events: ServiceEvent[] = [];
    const authorize = (): never => {
      throw error;
    };
    const observe = (event: ServiceEvent): void => void events.push(event);
    expect(await outcomeOf(submit({ authorize, observe }))).toEqual(internal);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ event: "request.refused", status: 500, code: "INTERNAL" });
    expect((events[0] as { error: unknown }).error).toBe(error);
  });

  it("leads to an internal error in JSON if the format throws", async () => {
    const fail = (): never => {
      throw forbidden("not this");
    };
    const format = {
      mediaTypes: ["application/x-broken"],
      problemMediaType: "application/x-broken-problem",
      parse: fail,
      serialize: fail,
    } as const;
    const headers = { "content-type": "application/json", accept: "application/x-broken" };
    const reply = await submit({ formats: [format] }, { headers });
    expect([reply.status, typeOf(reply)]).toEqual(internal);
    expect(reply.headers["content-type"]).toBe("application/problem+json");
  });
});
