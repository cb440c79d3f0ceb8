import {
  AsyncReplyError,
  createMemoryBackend,
  createOrderService,
  createService,
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
import { submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { toHttpRequest } from "../support/plain-harness.js";
import { replacing } from "../support/replacing.js";
import { failOnUnhandledRejections, unreadable } from "../support/unreadable.js";
import { typeOf } from "./service-process.js";

failOnUnhandledRejections();

const post = toHttpRequest(submission({ fields: { "idempotency-key": "k" } }));

function submit(
  options: Partial<OrderServiceOptions>,
  change: Partial<HttpRequest> = {},
): Promise<HttpResponse> {
  const service = createOrderService({
    authorize: () => ({ id: "a" }),
    backend: createMemoryBackend(),
    ...options,
  });
  return service.handle({ ...post, ...change });
}

function submitWith(validate: StandardSchema["~standard"]["validate"]): Promise<HttpResponse> {
  const input: StandardSchema = { "~standard": { version: 1, vendor: "test", validate } };
  const definitions = [defineOperation({ name: "orders", path: "/orders", input })];
  return createService({ definitions, authorize: () => ({ id: "a" }) }).handle(post);
}

async function outcomeOf(answering: Promise<HttpResponse>): Promise<readonly [status: number, type: string]> {
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

  it("denies access and is logged when it comes from `authorize`", async () => {
    const lines: unknown[] = [];
    const take = (fields: object, message: string): void => void lines.push([message, fields]);
    const observe = logEvents({ info: take, warn: take, error: take });
    for (const authorize of [rethrow, () => Promise.reject(hostile), () => hostile])
      expect(await outcomeOf(submit({ authorize, observe }))).toEqual(notAuthorized);
    const error = { code: "AUTHORIZATION_UNAVAILABLE" };
    const refused = { event: "request.refused", status: 503, error };
    expect(lines).toMatchObject(Array.from({ length: 3 }, () => ["request.refused", refused]));
  });

  it("leads to an internal error when it comes from `admit`", async () => {
    for (const admit of [rethrow, () => Promise.reject(hostile), () => hostile])
      expect(await outcomeOf(submit({ admit }))).toEqual(internal);
  });

  it("leads to a failed creation when it comes from `create`", async () => {
    const creates = [rethrow, () => Promise.reject(hostile), () => hostile, () => ({ body: hostile })];
    for (const create of creates) expect(await outcomeOf(submit({ create }))).toEqual(notCreated);
  });

  it("leads to an internal error when it comes from a schema", async () => {
    const validates = [rethrow, () => Promise.reject(hostile), () => hostile, () => ({ issues: [hostile] })];
    for (const validate of validates) expect(await outcomeOf(submitWith(validate))).toEqual(internal);
  });

  it("changes nothing when it comes from an observer", async () => {
    for (const observe of [rethrow, () => Promise.reject(hostile), () => hostile])
      expect((await submit({ observe })).status).toBe(202);
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
    for (const end of [rethrow, () => Promise.reject(hostile), () => hostile]) {
      const next = async () => ({ value: new Uint8Array(70_000) });
      const body = { [Symbol.asyncIterator]: () => ({ next, return: end }) };
      expect(await outcomeOf(submit({}, { body }))).toEqual([413, problemType("body-too-large")]);
    }
  });

  it("changes nothing when it comes from `waitUntil`", async () => {
    const service = createOrderService({ authorize: () => ({ id: "a" }) });
    expect((await service.handle(post, { waitUntil: rethrow })).status).toBe(202);
  });

  it("leads to an internal error when a store throws it", async () => {
    const memory = createMemoryBackend();
    const submissions = replacing(memory.submissions, { record: () => Promise.reject(hostile) });
    expect(await outcomeOf(submit({ backend: { ...memory, submissions } }))).toEqual(internal);
  });
});

describe("an error that cannot be written as a problem", () => {
  const errors: Readonly<Record<string, AsyncReplyError>> = {
    "violations that JSON cannot represent": new AsyncReplyError("FORBIDDEN", "No.", {
      violations: [{ pointer: "#", detail: 1n as never }],
    }),
    "violations that throw": new AsyncReplyError("FORBIDDEN", "No.", {
      violations: new Map(unreadable).get("a revoked Proxy") as never,
    }),
    "header fields that throw": new AsyncReplyError("FORBIDDEN", "No.", {
      headers: new Map(unreadable).get("a Proxy whose traps throw") as never,
    }),
  };

  it.each(Object.entries(errors))(
    "leads to an internal error and reaches the observer unchanged: %s",
    async (_, error) => {
      const events: ServiceEvent[] = [];
      const authorize = (): never => {
        throw error;
      };
      expect(await outcomeOf(submit({ authorize, observe: (event) => events.push(event) }))).toEqual(
        internal,
      );
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({ event: "request.refused", status: 500, code: "INTERNAL" });
      expect((events[0] as { error: unknown }).error).toBe(error);
    },
  );

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
