import type { Backend, Format, HttpResponse } from "async-request-reply";
import { describe, expect, it, vi } from "vitest";
import { nextTurn } from "../../../src/platform/waits.js";
import { jsonPost } from "../../service/open-service.js";
import { inside } from "../../support/inside.js";
import {
  createWaitingService,
  ENDED,
  isSettled,
  PENDING,
  seen,
  tenant,
} from "../../support/waiting-service.js";

const COUNT = 1_000;
const post = jsonPost("/orders", { itemId: "pen", quantity: 2 }, { prefer: "wait=20" });
const STORE_DOWN = new Error("the store is down");

/** Replaces an optional method of the store. */
function replace(
  method: "watch" | "getMany",
  replacement?: () => unknown,
): (backend: Backend<never>) => Backend<never> {
  return (backend) => {
    const operations = new Proxy(backend.operations, {
      get: (target, name) => {
        const member: unknown = name === method ? replacement : Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    return { ...backend, operations };
  };
}

describe("reads of the store", () => {
  it("are one for each change, for any number of waiters, and so are serializations", async () => {
    let serialized = 0;
    const format: Format = {
      mediaTypes: ["application/example"],
      problemMediaType: "application/problem+example",
      parse: String,
      serialize: (value) => {
        serialized += 1;
        return JSON.stringify(value);
      },
    };
    const { submit, end, wait, reads } = createWaitingService({ formats: [format] });
    const id = await submit();
    const fields = { accept: "application/example" };
    const waiting = await Promise.all(Array.from({ length: COUNT }, () => wait(id, { fields })));
    reads.length = 0;
    await end(id);
    const replies = await Promise.all(waiting.map(({ reply }) => reply));
    const ends = new Set(replies.map((reply) => JSON.stringify(seen(reply))));
    expect([...ends]).toEqual([JSON.stringify(ENDED)]);
    expect([reads, serialized]).toEqual([[[id]], 1]);
  });

  it("are batches of at most 500 operations that change at the same time", async () => {
    const { submit, end, wait, reads } = createWaitingService();
    const ids = await Promise.all(Array.from({ length: COUNT }, submit));
    const waiting = await Promise.all(ids.map((id) => wait(id)));
    reads.length = 0;
    await Promise.all(ids.map(end));
    const replies: HttpResponse[] = await Promise.all(waiting.map(({ reply }) => reply));
    expect(replies.every(({ headers }) => headers["retry-after"] === undefined)).toBe(true);
    expect(reads.map(({ length }) => length)).toEqual([500, 500]);
  });

  it("are not needed for changes of operations that no request waits for", async () => {
    const { submit, end, wait, reads } = createWaitingService();
    await wait(await submit());
    const other = await submit();
    reads.length = 0;
    await end(other);
    expect(await isSettled(wait(other).then(({ reply }) => reply))).toBe(true);
    expect(reads).toEqual([[other]]);
  });

  it.each([
    ["every second if the store has no watch", replace("watch"), 1_000],
    ["every 5 seconds in case notifications get lost", replace("watch", () => () => {}), 5_000],
  ])("are repeated %s", async (_, change, pollMs) => {
    const { submit, end, wait, clock } = createWaitingService({ change });
    const id = await submit();
    const { reply } = await wait(id);
    await end(id);
    await clock.advance(pollMs - 1);
    expect(await isSettled(reply)).toBe(false);
    await clock.advance(1);
    expect(seen(await reply)).toEqual(ENDED);
  });

  it("that fail are reported once per outage and repeated, and the waits go on", async () => {
    let isDown = false;
    const { submit, end, wait, clock, events } = createWaitingService({
      onRead: (_, proceed) => (isDown ? Promise.reject(STORE_DOWN) : proceed()),
    });
    const id = await submit();
    const { reply } = await wait(id);
    isDown = true;
    await end(id);
    await clock.advance(12_000);
    const failures = events.filter(({ event }) => event === "background.failed");
    expect(failures).toEqual([{ event: "background.failed", step: "watch-read", error: STORE_DOWN }]);
    isDown = false;
    await clock.advance(5_000);
    expect(seen(await reply)).toEqual(ENDED);
  });

  it("never overlap, and see changes that happen during a read", async () => {
    const open: (() => void)[] = [];
    const { submit, end, wait, reads } = createWaitingService({
      onRead: async ({ method }, proceed) => {
        const answer = await proceed();
        if (method === "getMany") await new Promise<void>((resolve) => open.push(resolve));
        return answer;
      },
    });
    const [first, second] = [await submit(), await submit()];
    const replies = [(await wait(first)).reply, (await wait(second)).reply];
    reads.length = 0;
    for (const id of [first, second]) {
      await end(id);
      await nextTurn();
    }
    expect(reads).toEqual([[first]]);
    open[0]?.();
    await nextTurn();
    await nextTurn();
    expect(reads).toEqual([[first], [second]]);
    open[1]?.();
    expect((await Promise.all(replies)).map(seen)).toEqual([ENDED, ENDED]);
  });

  it("that never answer do not stop later ones", async () => {
    let isStuck = false;
    const { submit, end, wait, clock } = createWaitingService({
      recordTimeoutMs: 2_000,
      onRead: (_, proceed) => (isStuck ? new Promise(() => {}) : proceed()),
    });
    const id = await submit();
    const { reply } = await wait(id);
    isStuck = true;
    await end(id);
    await clock.advance(0);
    isStuck = false;
    await clock.advance(5_000);
    expect(seen(await reply)).toEqual(ENDED);
  });
});

describe("a wait", () => {
  it("misses no end between the read of the request and the wait", async () => {
    let endNow: (() => Promise<unknown>) | undefined;
    const { submit, end, wait } = createWaitingService({
      onRead: async ({ method }, proceed) => {
        const answer = await proceed();
        if (method === "get") await endNow?.();
        return answer;
      },
    });
    const id = await submit();
    endNow = () => end(id);
    expect(seen(await (await wait(id)).reply)).toEqual(ENDED);
  });

  it.each([
    ["at its limit", 0, 20_000],
    ["up to 40 % earlier, chosen at random", 1, 12_000],
  ])("ends %s", async (_, random, ms) => {
    const { submit, wait, clock } = createWaitingService({ random: () => random });
    const { reply } = await wait(await submit());
    await clock.advance(ms - 251);
    expect(await isSettled(reply)).toBe(false);
    await clock.advance(251);
    expect(seen(await reply)).toEqual(PENDING);
  });

  it("ends when the client disconnects, and leaves its place to others", async () => {
    const { submit, wait, backend } = createWaitingService({ maxWaiters: 2 });
    const id = await submit();
    const client = new AbortController();
    const { reply } = await wait(id, { context: { signal: client.signal } });
    expect(seen(await (await wait(id)).reply)).toEqual([200, "pending", undefined]);
    client.abort();
    await reply;
    const next = await wait(id);
    expect(await isSettled(next.reply)).toBe(false);
    expect((await backend.operations.get(id, "anonymous"))?.state).toBe("pending");
  });

  it("ends when the service closes, before the back end does", async () => {
    const { submit, wait, service } = createWaitingService();
    const { reply } = await wait(await submit());
    const submission = service.handle(post);
    expect(await isSettled(submission)).toBe(false);
    await service.close();
    expect(seen(await reply)).toEqual(PENDING);
    expect(seen(await submission)).toEqual([202, "pending", "wait=20"]);
  });

  it("leaves a place to every tenant, however many one of them takes", async () => {
    const { service } = createWaitingService({ maxWaiters: 4 });
    const places = ["a", "a", "a", "b", "b", "c", "d"].map(
      (tenant) => inside(service).hub.subscribe({ id: "", tenant }) !== undefined,
    );
    expect(places).toEqual([true, true, false, true, false, true, false]);
  });

  it("never gets an operation of another tenant or a hidden one", async () => {
    const { submit, service, backend } = createWaitingService();
    const { hub, runtime } = inside(service);
    const [id, hiddenId] = [await submit(), runtime.newId()];
    const hidden = { id: hiddenId, tenant, definition: "orders", input: "1", retentionMs: 1, hidden: true };
    await backend.operations.create(hidden);
    const read = (of: string, by: string) => {
      const subscription = hub.subscribe({ id: of, tenant: by });
      subscription?.refresh();
      return subscription?.next();
    };
    expect(await Promise.all([read(id, "other"), read(hiddenId, tenant)])).toEqual([undefined, undefined]);
    const stored = await backend.operations.get(id, tenant);
    expect((await read(id, tenant))?.operation).toEqual(stored);
  });

  it("gets no state that was read before it began, because the caller may know a later one", async () => {
    const open: (() => void)[] = [];
    const { submit, end, service } = createWaitingService({
      onRead: async ({ method }, proceed) => {
        const answer = await proceed();
        if (method === "getMany") await new Promise<void>((resolve) => open.push(resolve));
        return answer;
      },
    });
    const id = await submit();
    const { hub } = inside(service);
    const early = hub.subscribe({ id, tenant });
    const first = early?.next();
    early?.refresh();
    await nextTurn();
    const next = hub.subscribe({ id, tenant })?.next();
    open[0]?.();
    expect((await first)?.operation.state).toBe("pending");
    expect(await isSettled(next ?? Promise.resolve())).toBe(false);
    await end(id);
    await nextTurn();
    open[1]?.();
    expect((await next)?.operation.state).toBe("failed");
  });

  it("goes on if another one of the same operation is closed repeatedly", async () => {
    const { submit, end, service } = createWaitingService();
    const id = await submit();
    const { hub } = inside(service);
    const [closed, other] = [hub.subscribe({ id, tenant }), hub.subscribe({ id, tenant })];
    closed?.close();
    closed?.close();
    const next = other?.next();
    await end(id);
    expect((await next)?.operation.state).toBe("failed");
  });

  it("leaves no timer behind when it ends", async () => {
    const { submit, service, clock } = createWaitingService();
    const schedule = vi.spyOn(clock, "schedule");
    inside(service)
      .hub.subscribe({ id: await submit(), tenant })
      ?.close();
    schedule.mockClear();
    await clock.advance(60_000);
    expect(schedule).not.toHaveBeenCalled();
  });

  it("for a submission ends with a 202 if the store fails meanwhile", async () => {
    const { service, clock } = createWaitingService({ onRead: () => Promise.reject(STORE_DOWN) });
    const reply = service.handle(post);
    await clock.advance(20_000);
    expect(seen(await reply)).toEqual([202, "pending", "wait=20"]);
  });
});
