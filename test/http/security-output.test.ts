import { inspect } from "node:util";
import {
  AsyncReplyError,
  bearer,
  createMemoryBackend,
  createOrderService,
  createWorker,
  type HttpResponse,
  type OrderServiceOptions,
  permanentFailure,
  type ServiceEvent,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";
import { request, submission, TOKENS } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { modes } from "../support/composed-backend.js";
import { interceptBackend } from "../support/intercept-backend.js";
import { toHttpRequest } from "../support/plain-harness.js";
import { watchedBackend } from "./service-process.js";

const INTERNALS = ["SELECT secret FROM tokens", "/srv/app/src/db.ts:17", "PgPoolError", "10.0.0.7:5432"];

/** Imitates a driver's error: its own class, a statement, a path, an address, and a cause that repeats them. */
class PgPoolError extends Error {
  readonly query = INTERNALS[0];
  constructor() {
    super(`PgPoolError at ${INTERNALS.join(" ")}`, { cause: new Error(INTERNALS.join(" ")) });
    this.name = "PgPoolError";
  }
}

function fail(): never {
  throw new PgPoolError();
}

const UNKNOWN = "01980000-0000-7000-8000-000000000000";

/** Returns every reply of a service in which something throws, and every event that its observer receives. */
async function repliesAndEvents(
  options: Partial<OrderServiceOptions>,
  processor: () => unknown = () => undefined,
  clock = createManualClock(),
) {
  const events: ServiceEvent[] = [];
  const service = createOrderService({
    authorize: bearer(TOKENS),
    observe: (event) => events.push(event),
    cancellable: true,
    ...options,
    runtime: { clock, ...options.runtime },
  });
  const replies: HttpResponse[] = [];
  const send = async (each: WireRequest): Promise<HttpResponse> => {
    const reply = await service.handle(toHttpRequest(each));
    replies.push(reply);
    return reply;
  };
  const keyed = submission({ fields: { "idempotency-key": "k" } });
  const { headers } = await send(keyed);
  const monitor = headers.location ?? headers["operation-location"] ?? `/operations/${UNKNOWN}`;
  await send(request("GET", monitor));
  const working = createWorker(service, { orders: processor }, { maxAttempts: 1 }).runUntilIdle();
  // It rejects if it cannot claim.
  const worked = working.catch(() => undefined);
  // The worker retries an unavailable store after a delay.
  await clock.advance(60_000);
  await worked;
  for (const method of ["GET", "HEAD", "DELETE"]) await send(request(method, monitor));
  await send(keyed);
  return { replies, events };
}

function expectNothingInternal(replies: readonly HttpResponse[]): void {
  const shown = JSON.stringify(replies);
  for (const internal of INTERNALS) expect(shown).not.toContain(internal);
  // Lines of a stack trace.
  expect(shown).not.toMatch(/\bat \S+ \(|node_modules|\.ts:\d/);
}

describe("S12: an internal error", () => {
  it.each<[string, Partial<OrderServiceOptions>]>([
    ["authorize", { authorize: fail }],
    ["admit", { admit: fail }],
    ["create", { create: fail }],
    ["the hash of the runtime", { runtime: { hash: fail } }],
    ["the ids of the runtime", { runtime: { newId: fail } }],
    ["observe", { observe: fail }],
  ])("is hidden from clients when %s throws it", async (_, options) => {
    expectNothingInternal((await repliesAndEvents(options)).replies);
  });

  for (const { mode, createBackend } of modes) {
    const methods = ["record", "bind", "create", "get", "requestCancel", "publish", "claim", "settle"];
    it.each(methods)(`is hidden when %s of a back end throws it, with ${mode}`, async (method) => {
      for (const error of [
        new PgPoolError(),
        ...(["STORE_UNAVAILABLE", "OVERLOADED", "CORRUPT_RECORD", "INTERNAL"] as const).map(
          (code) => new AsyncReplyError(code, INTERNALS.join(" "), { cause: new PgPoolError() }),
        ),
      ]) {
        let thrown = 0;
        const backend = interceptBackend(createBackend(), async (call, proceed) => {
          if (call.method !== method || thrown === 3) return proceed();
          thrown += 1;
          throw error;
        });
        const { replies } = await repliesAndEvents({ backend });
        expectNothingInternal(replies);
        expect(replies.every(({ status }) => status >= 200)).toBe(true);
      }
    });
  }

  it("is hidden when a processor throws any value", async () => {
    for (const error of [new PgPoolError(), INTERNALS[0], { message: INTERNALS[1] }, undefined]) {
      const { replies, events } = await repliesAndEvents({}, () => {
        throw error;
      });
      expectNothingInternal(replies);
      expect(JSON.parse(String(replies.at(-2)?.body))).toMatchObject({ status: "failed" });
      expect(events.some((event) => event.event === "operation.failed" && event.error === error)).toBe(true);
    }
  });

  it("is hidden as the cause of a permanent failure, while the reason is shown", async () => {
    const { replies } = await repliesAndEvents({}, () => {
      throw permanentFailure("The item is sold out.", new PgPoolError());
    });
    expectNothingInternal(replies);
    expect(JSON.stringify(replies)).toContain("The item is sold out.");
  });

  it("is hidden when a result cannot be serialized", async () => {
    const { replies } = await repliesAndEvents({}, () => ({ toJSON: fail }));
    expectNothingInternal(replies);
    expect(JSON.stringify(replies)).toContain("invalid-result");
  });

  it("reaches the observer completely", async () => {
    const backend = interceptBackend(createMemoryBackend(), async ({ port }, proceed) =>
      port === "queue" ? proceed() : fail(),
    );
    const { events, replies } = await repliesAndEvents({ backend });
    expect(replies[0]?.status).toBe(500);
    const refused = events.find(({ event }) => event === "request.refused");
    expect(inspect(refused)).toContain(INTERNALS[0]);
  });
});

describe("S22: stored and published data", () => {
  const TOKEN = "token-of-a";

  it.each(modes)("contains no credential, with $mode", async ({ createBackend }) => {
    const clock = createManualClock();
    const inner = createBackend({ clock });
    const { backend, calls: written } = watchedBackend(inner);
    const options = { backend, cancellable: false };
    const { events, replies } = await repliesAndEvents(options, () => undefined, clock);
    expect(replies[0]?.status).toBe(202);
    const kept = await inner.operations.list({ internal: true, limit: 10 });
    const [{ tenant = "", definition = "", key = "" } = {}] = kept;
    const binding = await inner.submissions.findKey({ tenant, definition, key });
    expect(binding?.operationId).toBe(kept[0]?.id);
    expect(written.map(({ method }) => method)).toContain("publish");
    for (const dump of [kept, binding, written, events, replies])
      expect(inspect(dump, { depth: 20 })).not.toContain(TOKEN);
  });
});
