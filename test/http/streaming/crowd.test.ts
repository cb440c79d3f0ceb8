import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../src/platform/waits.js";
import { effort } from "../../support/effort.js";
import { createWaitingService } from "../../support/waiting-service.js";
import { openStream, requestStream, toIterator } from "./open-stream.js";

const WAITERS = effort(2_000, 10_000);
const STREAMS = effort(400, 2_000);

describe(`${WAITERS} waiting requests and ${STREAMS} streams of one operation`, () => {
  it("are all released by one read of the store, and streams share their bytes", async () => {
    const given = createWaitingService({ maxWaiters: 2 * (WAITERS + STREAMS) });
    const id = await given.submit();
    const request = { method: "GET", path: `/operations/${id}`, headers: { prefer: "wait=20" } };
    const waiting = Array.from({ length: WAITERS }, () => given.service.handle(request));
    const streams = await Promise.all(
      Array.from({ length: STREAMS }, async () => toIterator((await requestStream(given.service, id)).body)),
    );
    await Promise.all(streams.map((chunks) => chunks.next()));
    const last = streams.map((chunks) => chunks.next());
    await nextTurn();
    expect(given.reads).toHaveLength(WAITERS + STREAMS);
    given.reads.length = 0;
    await given.end(id);
    const bodies = new Set((await Promise.all(waiting)).map(({ body }) => body));
    const chunks = new Set((await Promise.all(last)).map(({ value }) => value as Uint8Array));
    expect([given.reads.length, bodies.size, chunks.size]).toEqual([1, 1, 1]);
    expect(JSON.parse(String([...bodies][0]))).toMatchObject({ operationId: id, status: "failed" });
  });
});

describe("streams of many operations", () => {
  it("are read in batches of 500 in case notifications get lost, and send nothing if nothing changed", async () => {
    const given = createWaitingService();
    const ids = await Promise.all(Array.from({ length: 1_000 }, given.submit));
    const streams = await Promise.all(ids.map((id) => openStream(given.service, id)));
    given.reads.length = 0;
    await given.clock.advance(5_000);
    expect(given.reads.map(({ length }) => length)).toEqual([500, 500]);
    expect(new Set(streams.map(({ received }) => received.events.length))).toEqual(new Set([1]));
  });
});
