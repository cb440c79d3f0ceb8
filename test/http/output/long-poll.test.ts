import { AsyncReplyError } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../src/platform/waits.js";
import { createOutputStage, type OutputStage, place, seen } from "../../support/output-stage.js";
import type { OutputWriter } from "../../support/output-writer.js";
import { isSettled } from "../../support/waiting-service.js";

const EPOCH_MS = Date.UTC(2024, 9, 9);

/** Sends a request that waits. Resolves when it waits or has been answered. */
async function wait({ get }: OutputStage, writing: OutputWriter, offset: string, more = "") {
  const reply = get(writing, `?offset=${offset}&live=long-poll${more}`);
  await nextTurn();
  return { reply };
}

describe("a long poll", () => {
  it("is answered at once with what stands, and otherwise with what comes next", async () => {
    const stage = createOutputStage();
    const writing = await stage.start();
    await writing.write("ab");
    const first = await (await wait(stage, writing, "-1")).reply;
    expect(seen(first)).toEqual([200, "ab", place(1, 2), "up-to-date"]);
    expect(first.headers.etag).toBeDefined();
    const { reply } = await wait(stage, writing, place(1, 2));
    const { reply: now } = await wait(stage, writing, "now");
    expect(await isSettled(Promise.race([reply, now]))).toBe(false);
    await writing.write("c");
    expect(seen(await reply)).toEqual([200, "c", place(1, 3), "up-to-date"]);
    expect(seen(await now)).toEqual(seen(await reply));
    expect((await now).headers.etag).toBeUndefined();
  });

  it("gets 204 when its time is over, with where it is", async () => {
    const stage = createOutputStage({ random: () => 0 });
    const writing = await stage.start();
    const { reply } = await wait(stage, writing, "-1");
    await stage.clock.advance(24_700);
    expect(await isSettled(reply)).toBe(false);
    await stage.clock.advance(300);
    expect(seen(await reply)).toEqual([204, "", place(0, 0), "up-to-date"]);
    expect((await reply).headers).toMatchObject({
      "cache-control": "no-store",
      "stream-cursor": expect.any(String),
    });
  });

  it("gets 204 at once at the end of a closed output, and when it is closed", async () => {
    const stage = createOutputStage();
    const writing = await stage.start();
    await writing.write("a");
    const { reply } = await wait(stage, writing, place(1, 1));
    await writing.complete();
    const closed = [204, "", place(1, 1), "up-to-date", "closed"];
    expect(seen(await reply)).toEqual(closed);
    for (const offset of [place(1, 1), "now"])
      expect(seen(await (await wait(stage, writing, offset)).reply)).toEqual(closed);
    expect((await reply).headers["stream-cursor"]).toBeUndefined();
  });

  it("learns of discards while it waits and before", async () => {
    const stage = createOutputStage();
    const first = await stage.start();
    await first.write("ab");
    const { reply } = await wait(stage, first, place(1, 2));
    await first.again();
    expect(seen(await reply)).toEqual([410, "", place(0, 0)]);
    expect(seen(await (await wait(stage, first, place(1, 1))).reply)).toEqual([410, "", place(0, 0)]);
  });

  it("has a cursor that counts intervals of 20 s, and is always greater than that of the client", async () => {
    const stage = createOutputStage({ random: () => 0.5 });
    const writing = await stage.start();
    await writing.write("a");
    const current = Math.floor((stage.clock.now() - EPOCH_MS) / 20_000);
    const cursorFor = async (given?: number) => {
      const more = given === undefined ? "" : `&cursor=${given}`;
      return Number((await (await wait(stage, writing, "-1", more)).reply).headers["stream-cursor"]);
    };
    expect(await cursorFor()).toBe(current);
    expect(await cursorFor(current - 1)).toBe(current);
    expect(await cursorFor(current)).toBe(current + 91);
    expect(await cursorFor(current + 500)).toBe(current + 591);
  });

  it.each([
    ["the service does not wait", { maxWaitMs: 0 }],
    ["all places are taken", { maxWaiters: 1 }],
  ])("is refused with the time of the next one if %s and there is nothing new", async (_, settings) => {
    const stage = createOutputStage(settings);
    const writing = await stage.start();
    const other = await stage.start();
    const taken = await wait(stage, other, "-1");
    const { reply } = await wait(stage, writing, "-1");
    const { status, headers } = await reply;
    expect([status, headers["retry-after"]]).toEqual([429, expect.stringMatching(/^[1-5]$/)]);
    await writing.write("a");
    expect(seen(await (await wait(stage, writing, "-1")).reply)).toEqual([
      200,
      "a",
      place(1, 1),
      "up-to-date",
    ]);
    await other.complete();
    await taken.reply;
  });

  it("gives its place back when the client goes away", async () => {
    const stage = createOutputStage({ maxWaiters: 1 });
    const writing = await stage.start();
    const leaving = new AbortController();
    const context = { signal: leaving.signal };
    const left = stage.get(writing, "?offset=-1&live=long-poll", { context });
    await nextTurn();
    leaving.abort();
    expect((await left).status).toBe(204);
    const { reply } = await wait(stage, writing, "-1");
    expect(await isSettled(reply)).toBe(false);
    await writing.complete();
    expect((await reply).status).toBe(204);
  });

  it("gets 503 if the store does not answer", async () => {
    const down = new AsyncReplyError("STORE_UNAVAILABLE", "The store is down.");
    const stage = createOutputStage({ onRead: () => Promise.reject(down) });
    const writing = await stage.start();
    expect((await (await wait(stage, writing, "-1")).reply).status).toBe(503);
  });
});
