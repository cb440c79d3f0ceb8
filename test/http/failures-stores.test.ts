import {
  AsyncReplyError,
  composeStores,
  createMemoryBackend,
  createMemoryStores,
  createWorker,
} from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { modes } from "../support/composed-backend.js";
import {
  type Interceptor,
  interceptBackend,
  interceptStores,
  type PortCall,
} from "../support/intercept-backend.js";
import { createProcess, idOf, KEY, listed, runsOf, typeOf } from "./service-process.js";

// test/README.md lists the numbered failures.

describe("failure 17: a stored record cannot be read", () => {
  it.each(modes)(
    "answers 500 instead of treating it as missing and accepting the work again, with $mode",
    async (each) => {
      const inner = each.createBackend();
      let corrupt = false;
      const backend = interceptBackend(inner, (call, proceed) => {
        if (corrupt && call.port !== "queue")
          throw new AsyncReplyError("CORRUPT_RECORD", "row 7 of operations");
        return proceed();
      });
      const { submit, read } = createProcess(backend);
      const { location = "" } = (await submit()).headers;
      corrupt = true;
      const replies = [await submit(), await read(location)];
      expect(replies.map(({ status }) => status)).toEqual([500, 500]);
      expect(JSON.stringify(replies)).not.toContain("row 7");
      expect(await listed(inner)).toHaveLength(1);
    },
  );

  it.each(["result", "error", "progress", "resource"])(
    "answers 500 if the store returns a %s that is not JSON",
    async (member) => {
      const backend = interceptBackend(createMemoryBackend(), async ({ method }, proceed) => {
        const answer = (await proceed()) as { operation?: object } | undefined;
        if (method === "get" && answer !== undefined) return { ...answer, [member]: "{" };
        return method === "record" && answer?.operation !== undefined
          ? { ...answer, operation: { ...answer.operation, [member]: "{" } }
          : answer;
      });
      const { submit, read } = createProcess(backend);
      const { location = "" } = (await submit()).headers;
      const reply = member === "resource" ? await submit() : await read(location);
      expect([reply.status, typeOf(reply)]).toEqual([500, problemType("internal")]);
    },
  );
});

describe("failures 12, 18, 19 and 23: store replies are lost and processes die", () => {
  type When = "before" | "after";
  const moments: readonly When[] = ["before", "after"];

  /** Fails one call, before or after it takes effect. */
  const losingOnce = (lost: string, when: When): Interceptor => {
    let done = false;
    return async (call, proceed) => {
      if (done || `${call.port}.${call.method}` !== lost) return proceed();
      done = true;
      if (when === "after") await proceed();
      throw new AsyncReplyError("STORE_UNAVAILABLE", "The connection was reset.");
    };
  };

  /** Opens a back end, and the same data through a connection that loses a call. */
  const atomic = (clock = createManualClock()) => {
    const inner = createMemoryBackend({ clock });
    return { inner, losing: (lost: string, when: When) => interceptBackend(inner, losingOnce(lost, when)) };
  };
  const composed = (clock = createManualClock()) => {
    const stores = createMemoryStores({ clock });
    const losing = (lost: string, when: When) =>
      composeStores(interceptStores(stores, losingOnce(lost, when)), { clock });
    return { inner: composeStores(stores, { clock }), losing };
  };

  const cases = [
    { call: "submissions.record", open: atomic },
    { call: "idempotency.bind", open: composed },
    { call: "operations.create", open: composed },
  ].flatMap((each) => moments.map((when) => ({ ...each, when })));

  it.each(cases)(
    "creates one readable operation and runs it once after a failure $when $call",
    async (each) => {
      const clock = createManualClock();
      const { inner, losing } = each.open(clock);
      const first = createProcess(losing(each.call, each.when));
      const refused = await first.submit();
      expect([refused.status, refused.headers["retry-after"]]).toEqual([503, expect.stringMatching(/^\d+$/)]);
      expect(String(refused.body)).toContain("may have been accepted");
      // The client retries at another process.
      const second = createProcess(inner);
      const accepted = await second.submit();
      expect(accepted.status).toBe(202);
      expect((await second.read(accepted.headers.location ?? "")).status).toBe(200);
      expect(idOf(await first.submit())).toBe(idOf(accepted));
      expect(await listed(inner)).toHaveLength(1);
      // A replay does not announce the operation, so the sweep has to find it.
      await clock.advance(30_000);
      expect(await runsOf(inner)).toEqual([1]);
    },
  );

  it("completes a submission that died between its two writes, under its original id", async () => {
    const { inner, losing } = composed();
    const dying = createProcess(losing("operations.create", "before"));
    await dying.submit();
    expect(await listed(inner)).toEqual([]);
    // A different payload under the same key is still a different request.
    const other = await createProcess(inner).submit({ fields: KEY, body: '{"itemId":"x","quantity":1}' });
    expect(typeOf(other)).toBe(problemType("idempotency-key-reused"));
    const replies = await Promise.all(Array.from({ length: 20 }, () => createProcess(inner).submit()));
    expect(new Set(replies.map(idOf)).size).toBe(1);
    expect(replies.every(({ status }) => status === 202)).toBe(true);
    expect(await runsOf(inner)).toEqual([1]);
  });

  const creationCalls = ["submissions.record", "operations.settle"];
  it.each(creationCalls.flatMap((call) => moments.map((when) => ({ call, when }))))(
    "creates one order before the reply after a failure $when $call",
    async ({ call, when }) => {
      const clock = createManualClock();
      const { inner, losing } = atomic(clock);
      const ids = new Set<string>();
      const create = (_: unknown, { operationId }: { operationId: string }) => {
        ids.add(operationId);
        return { body: { id: operationId } };
      };
      const options = { create, runtime: { clock } };
      const refused = await createProcess(losing(call, when), options).submit();
      expect(refused.status).toBe(503);
      await clock.advance(30_000);
      const retried = await createProcess(inner, options).submit();
      expect(retried.status).toBe(201);
      expect((await createProcess(inner, options).submit()).body).toBe(retried.body);
      expect([ids.size, (await listed(inner)).length]).toEqual([1, 1]);
    },
  );
});

describe("failures 22 and 25: a ring comes too early or never", () => {
  it("finds the work without it", async () => {
    const clock = createManualClock();
    const calls: PortCall[] = [];
    const backend = interceptBackend(createMemoryBackend({ clock }), async (call, proceed) => {
      if (call.method === "publish" && calls.push(call) === 1)
        throw new AsyncReplyError("QUEUE_UNAVAILABLE", "There is no such queue.");
      return proceed();
    });
    const { service, submit } = createProcess(backend, { runtime: { clock } });
    expect((await submit()).status).toBe(202);
    let runs = 0;
    await createWorker(service, { orders: () => void runs++ }).runUntilIdle();
    expect([calls.length, runs]).toEqual([1, 1]);
  });

  it("runs the work later if the ring came before the record", async () => {
    const clock = createManualClock();
    const backend = createMemoryBackend({ clock });
    const id = "01980000-0000-7000-8000-000000000000";
    const { service } = createProcess(backend, { runtime: { clock, newId: () => id } });
    let runs = 0;
    const worker = createWorker(service, { orders: () => void runs++ });
    await worker.start();
    await clock.advance(1);
    await backend.queue.publish([{ operationId: id, definition: "orders" }]);
    await clock.advance(1);
    const operation = { id, tenant: "a", definition: "orders", input: ORDER, retentionMs: 1_000 };
    await backend.operations.create(operation);
    await clock.advance(10_000);
    expect(runs).toBe(1);
    await worker.stop();
  });
});
