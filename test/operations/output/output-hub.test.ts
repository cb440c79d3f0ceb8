import type { Backend } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../src/platform/waits.js";
import { toIterator } from "../../http/streaming/open-stream.js";
import { createOutputStage, type OutputStage, place, seen } from "../../support/output-stage.js";
import type { OutputWriter } from "../../support/output-writer.js";
import { isSettled } from "../../support/waiting-service.js";

const COUNT = 1_000;

/** Sends a request that waits for more. */
async function wait({ get }: OutputStage, writing: OutputWriter, offset = place(0, 0)) {
  const reply = get(writing, `?offset=${offset}&live=long-poll`);
  await nextTurn();
  return { reply };
}

/** Forgets that outputs grow and operations change. */
function deaf(backend: Backend<never>): Backend<never> {
  const ignore = () => () => {};
  return {
    ...backend,
    operations: { ...backend.operations, watch: ignore },
    ...(backend.output && { output: { ...backend.output, watch: ignore } }),
  };
}

describe("reads of outputs", () => {
  it("are one for each growth, for any number of followers", async () => {
    const stage = createOutputStage();
    const writing = await stage.start();
    const waiting = await Promise.all(Array.from({ length: COUNT }, () => wait(stage, writing)));
    stage.reads.length = 0;
    await writing.write("ab");
    const replies = await Promise.all(waiting.map(({ reply }) => reply));
    expect(new Set(replies.map((reply) => JSON.stringify(seen(reply)))).size).toBe(1);
    expect(stage.reads.map((requests) => requests.map(({ id }) => id))).toEqual([[writing.operationId]]);
  });

  it("share calls of at most 500 if outputs grow at the same time", async () => {
    const stage = createOutputStage();
    const writings = await Promise.all(Array.from({ length: COUNT }, () => stage.start()));
    const waiting = await Promise.all(writings.map((writing) => wait(stage, writing)));
    stage.reads.length = 0;
    await Promise.all(writings.map((writing) => writing.write("a")));
    for (const { reply } of waiting) expect((await reply).status).toBe(200);
    expect(stage.reads.map(({ length }) => length)).toEqual([500, 500]);
  });

  it("are not needed for outputs without followers", async () => {
    const stage = createOutputStage();
    const [followed, other] = [await stage.start(), await stage.start()];
    const { reply } = await wait(stage, followed);
    stage.reads.length = 0;
    await other.write("a");
    await nextTurn();
    expect(stage.reads).toEqual([]);
    await followed.write("a");
    await reply;
    stage.reads.length = 0;
    await followed.write("b");
    await stage.clock.advance(60_000);
    expect(stage.reads).toEqual([]);
  });

  it("are repeated every 5 s in case notifications get lost", async () => {
    const stage = createOutputStage({ change: deaf });
    const writing = await stage.start();
    const { reply } = await wait(stage, writing);
    await writing.write("a");
    await stage.clock.advance(4_999);
    expect(await isSettled(reply)).toBe(false);
    await stage.clock.advance(1);
    expect(seen(await reply)).toEqual([200, "a", place(1, 1), "up-to-date"]);
  });

  it("that fail are reported once per outage and repeated", async () => {
    let isDown = false;
    const error = new Error("the store is down");
    const stage = createOutputStage({ onRead: (read) => (isDown ? Promise.reject(error) : read()) });
    const writing = await stage.start();
    const { reply } = await wait(stage, writing);
    isDown = true;
    await writing.write("a");
    await stage.clock.advance(12_000);
    const failures = stage.events.filter(({ event }) => event === "background.failed");
    expect(failures).toEqual([{ event: "background.failed", step: "watch-read", error }]);
    isDown = false;
    await stage.clock.advance(5_000);
    expect(seen(await reply)).toEqual([200, "a", place(1, 1), "up-to-date"]);
  });

  it("see growths that happen during a read", async () => {
    const answers: (() => void)[] = [];
    let isSlow = false;
    const stage = createOutputStage({
      onRead: async (read) => {
        const slices = await read();
        if (isSlow) await new Promise<void>((resolve) => answers.push(resolve));
        return slices;
      },
    });
    const writing = await stage.start();
    const { reply } = await wait(stage, writing);
    isSlow = true;
    await writing.report();
    await nextTurn();
    expect(answers).toHaveLength(1);
    await writing.write("a");
    answers[0]?.();
    await nextTurn();
    expect(answers).toHaveLength(2);
    answers[1]?.();
    expect(seen(await reply)).toEqual([200, "a", place(1, 1), "up-to-date"]);
  });

  it("see growths that happen while earlier ones are read", async () => {
    const answers: (() => void)[] = [];
    const stage = createOutputStage({
      onRead: async (read) => {
        const slices = await read();
        if (writing !== undefined) await new Promise<void>((resolve) => answers.push(resolve));
        return slices;
      },
    });
    let writing: OutputWriter | undefined;
    const begun = await stage.start();
    const { body } = await stage.get(begun, "?offset=-1&live=sse");
    const chunks = toIterator(body);
    const text = async () => new TextDecoder().decode((await chunks.next()).value);
    await text();
    const [first, second] = [text(), text()];
    await nextTurn();
    writing = begun;
    for (const each of "ab") {
      await begun.write(each);
      await nextTurn();
    }
    answers[0]?.();
    expect(await first).toContain('data:["a"]');
    await nextTurn();
    answers[1]?.();
    expect(await second).toContain('data:["b"]');
  });

  it("that begin before a change that the client knows of do not answer it", async () => {
    const answers: (() => void)[] = [];
    const stage = createOutputStage({
      // Otherwise the change itself would cause another read.
      change: deaf,
      onRead: async (read) => {
        const slices = await read();
        await new Promise<void>((resolve) => answers.push(resolve));
        return slices;
      },
    });
    const writing = await stage.start();
    void (await wait(stage, writing));
    await writing.write("a");
    const { reply } = await wait(stage, writing);
    for (let count = 0; count < 2; count += 1) {
      answers[count]?.();
      await nextTurn();
      await nextTurn();
    }
    expect(await isSettled(reply)).toBe(true);
    expect(seen(await reply)).toEqual([200, "a", place(1, 1), "up-to-date"]);
  });

  it("are one for each growth of an output that is streamed", async () => {
    const stage = createOutputStage();
    const writing = await stage.start();
    const { body } = await stage.get(writing, "?offset=-1&live=sse");
    const chunks = toIterator(body);
    await chunks.next();
    stage.reads.length = 0;
    for (const text of "abc") {
      const next = chunks.next();
      await nextTurn();
      await writing.write(text);
      await next;
    }
    const last = chunks.next();
    await nextTurn();
    expect(stage.reads).toHaveLength(3);
    await chunks.return?.();
    await last;
  });
});
