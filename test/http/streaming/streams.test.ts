import type { HttpResponse } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../src/platform/waits.js";
import { claimOne } from "../../support/claims.js";
import { inside } from "../../support/inside.js";
import { createWaitingService, type Given, type WaitingService } from "../../support/waiting-service.js";
import { openStream, requestStream, toIterator } from "./open-stream.js";

const DEFAULT_MS = 600_000;

/** A service with a pending operation. */
async function openPending(options?: Given) {
  const given = createWaitingService(options);
  return { given, id: await given.submit() };
}

/** Reads the operation like a client that polls. */
async function poll({ service }: WaitingService, id: string): Promise<HttpResponse> {
  return service.handle({ method: "GET", path: `/operations/${id}`, headers: {} });
}

const token = "token-of-this-attempt";
const leaseMs = 3_600_000;

/** Begins an attempt, which changes the representation of the operation. */
const begin = ({ backend }: WaitingService, id: string) =>
  claimOne(backend.operations, id, { token, leaseMs });

describe("a stream", () => {
  it("shows each state as a poll does, with the tag of the poll as its id, until the end", async () => {
    const { given, id } = await openPending();
    const polls = [await poll(given, id)];
    const stream = await openStream(given.service, id);
    const lease = { operationId: id, token };
    await begin(given, id);
    await nextTurn();
    polls.push(await poll(given, id));
    for (const percent of [10, 20]) {
      await given.backend.operations.renew(lease, { leaseMs, progress: `{"percent":${percent}}` });
      await nextTurn();
      polls.push(await poll(given, id));
    }
    await given.backend.operations.settle(lease, { to: "completed", result: "1" });
    await stream.end;
    polls.push(await poll(given, id));
    expect(stream.received.events).toEqual(
      polls.map(({ headers, body }) => ({ type: "message", lastEventId: headers.etag, data: body })),
    );
    expect(new Set(polls.map(({ headers }) => headers.etag)).size).toBe(5);
  });

  it("has the header fields that keep proxies from caching, compressing and buffering it", async () => {
    const { given, id } = await openPending();
    const headers = {
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
      vary: "accept",
    };
    const { reply, abort } = await openStream(given.service, id);
    expect(reply).toMatchObject({ status: 200, headers });
    expect(Object.keys(reply.headers).toSorted()).toEqual(Object.keys(headers).toSorted());
    await abort();
    const head = await requestStream(given.service, id, { method: "HEAD" });
    expect(head).toEqual({ status: 200, headers });
  });

  it("sends a comment after every 8 s of silence", async () => {
    const { given, id } = await openPending();
    const { received } = await openStream(given.service, id);
    await given.clock.advance(7_749);
    expect(received.comments).toBe(0);
    await given.clock.advance(251);
    expect(received.comments).toBe(1);
    await given.clock.advance(4_000);
    await begin(given, id);
    await given.clock.advance(7_749);
    expect(received.comments).toBe(1);
    await given.clock.advance(251);
    expect(received.comments).toBe(2);
    expect(received.events).toHaveLength(2);
  });

  it.each([
    ["at its limit", 0, DEFAULT_MS],
    ["up to 20 % earlier, chosen at random", 1, DEFAULT_MS * 0.8],
  ])("ends %s", async (_, random, ms) => {
    const { given, id } = await openPending({ random: () => random });
    const stream = await openStream(given.service, id);
    await given.clock.advance(ms - 251);
    expect(stream.ended).toBe(false);
    await given.clock.advance(251);
    expect([stream.ended, stream.statuses()]).toEqual([true, ["pending"]]);
  });

  it("ends when the service closes, and so does one that begins later", async () => {
    const { given, id } = await openPending();
    const stream = await openStream(given.service, id);
    const late = openStream(given.service, id);
    await given.service.close();
    await stream.end;
    await (await late).end;
    expect(stream.statuses()).toEqual(["pending"]);
  });

  it("is refused like a poll if the tenant has no such operation", async () => {
    const given = createWaitingService();
    const id = inside(given.service).runtime.newId();
    expect(await requestStream(given.service, id)).toEqual(await poll(given, id));
  });

  it("is not there if maxStreamMs is 0", async () => {
    const { given, id } = await openPending({ maxStreamMs: 0 });
    const reply = await requestStream(given.service, id);
    expect([reply.status, reply.headers["content-type"]]).toEqual([406, "application/problem+json"]);
  });
});

describe("a client that reconnects", () => {
  it("gets no event until there is news, and nothing that it has seen", async () => {
    const { given, id } = await openPending();
    const { etag = "" } = (await poll(given, id)).headers;
    const stream = await openStream(given.service, id, { fields: { "last-event-id": etag } });
    await given.clock.advance(5_000);
    expect(stream.received.events).toEqual([]);
    await given.end(id);
    await stream.end;
    expect(stream.statuses()).toEqual(["failed"]);
  });

  it.each([
    ["the tag", ""],
    ["the tag that a proxy made weak", "W/"],
  ])("is answered with 204 if it has %s of the end", async (_, prefix) => {
    const { given, id } = await openPending();
    await given.end(id);
    const { etag } = (await poll(given, id)).headers;
    const fields = { "last-event-id": `${prefix}${etag}` };
    const reply = await requestStream(given.service, id, { fields });
    expect(reply).toEqual({ status: 204, headers: { "cache-control": "no-store", vary: "accept" } });
  });

  it("gets the end and nothing else if it missed the end", async () => {
    const { given, id } = await openPending();
    const fields = { "last-event-id": (await poll(given, id)).headers.etag ?? "" };
    await given.end(id);
    const stream = await openStream(given.service, id, { fields });
    expect([stream.ended, stream.statuses()]).toEqual([true, ["failed"]]);
    const { headers, body } = stream.reply;
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(body as string)));
  });

  it.each([
    ["after Retry-After", 0, 1_000],
    ["up to 40 % earlier, chosen at random", 1, 600],
  ])("does so %s", async (_, random, retryMs) => {
    const { given, id } = await openPending({ random: () => random });
    const { received } = await openStream(given.service, id);
    expect(received.retryMs).toBe(retryMs);
  });

  it("does so after at most 5 s, however long the work may take", async () => {
    const { given, id } = await openPending();
    await poll(given, id);
    await given.clock.advance(60_000);
    const { received } = await openStream(given.service, id);
    expect((await poll(given, id)).headers["retry-after"]).toBe("31");
    expect(received.retryMs).toBe(5_000);
  });
});

describe("places", () => {
  it("are shared by streams and waits, and a stream without one ends after the current state", async () => {
    const { given, id } = await openPending({ maxWaiters: 2 });
    const { abort } = await openStream(given.service, id);
    const { reply } = await given.wait(id);
    expect((await reply).headers["preference-applied"]).toBeUndefined();
    const crowded = await openStream(given.service, id);
    expect([crowded.ended, crowded.statuses(), crowded.received.retryMs]).toEqual([true, ["pending"], 1_000]);
    const fields = { "last-event-id": crowded.received.events[0]?.lastEventId ?? "" };
    const again = await openStream(given.service, id, { fields });
    expect([again.ended, again.statuses(), again.received.retryMs]).toEqual([true, [], 1_000]);
    await abort();
    expect((await openStream(given.service, id)).ended).toBe(false);
  });

  it("are freed by every end of a stream, even if nothing is read any more", async () => {
    const { given, id } = await openPending({ maxWaiters: 2 });
    const isFree = async (): Promise<boolean> => {
      const { ended, abort } = await openStream(given.service, id);
      await abort();
      return !ended;
    };
    const client = new AbortController();
    await requestStream(given.service, id, { context: { signal: client.signal } });
    expect(await isFree()).toBe(false);
    client.abort();
    expect(await isFree()).toBe(true);
    await requestStream(given.service, id);
    expect(await isFree()).toBe(false);
    await given.clock.advance(DEFAULT_MS);
    expect(await isFree()).toBe(true);
    await toIterator((await requestStream(given.service, id)).body).return?.();
    expect(await isFree()).toBe(true);
    await requestStream(given.service, id, { method: "HEAD" });
    expect(await isFree()).toBe(true);
    await requestStream(given.service, inside(given.service).runtime.newId());
    expect(await isFree()).toBe(true);
    await given.end(id);
    await requestStream(given.service, id);
    const other = await given.submit();
    expect((await openStream(given.service, other)).ended).toBe(false);
  });
});

describe("a client that reads slowly", () => {
  it("gets the latest state, and the states between are skipped", async () => {
    const { given, id } = await openPending();
    const chunks = toIterator((await requestStream(given.service, id)).body);
    await chunks.next();
    await begin(given, id);
    const lease = { operationId: id, token };
    for (let percent = 1; percent <= 100; percent += 1) {
      await given.backend.operations.renew(lease, { leaseMs, progress: `${percent}` });
      await nextTurn();
    }
    const { value } = await chunks.next();
    expect(new TextDecoder().decode(value as Uint8Array)).toContain('"progress":100');
  });
});
