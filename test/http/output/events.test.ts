import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../src/platform/waits.js";
import { createOutputStage, type OutputStage, place } from "../../support/output-stage.js";
import type { OutputWriter } from "../../support/output-writer.js";
import { readEvents, toIterator } from "../streaming/open-stream.js";

/** Opens a stream of events, and reads it as fast as it comes. */
async function open(
  { get }: OutputStage,
  writing: OutputWriter,
  offset = "-1",
  fields: Readonly<Record<string, string>> = {},
) {
  const reply = await get(writing, `?offset=${offset}&live=sse`, { fields });
  const reading = await readEvents(reply.body);
  /** Returns type, id and data of each event so far. The data of a `data` event is one text. */
  const events = () =>
    reading.received.events.map(({ type, lastEventId, data }) => {
      const parsed = JSON.parse(data) as unknown;
      return [type, lastEventId, type === "data" ? (parsed as string[]).join("") : parsed] as const;
    });
  return Object.assign(reading, { reply, events });
}

const control = (count: number, more: object = { upToDate: true }) =>
  [
    "control",
    expect.any(String),
    expect.objectContaining({ streamNextOffset: place(count && 1, count), ...more }),
  ] as const;

describe("a stream of an output", () => {
  it("sends what stands, then each growth, each with its place as id and a control event, until the end", async () => {
    const stage = createOutputStage();
    const writing = await stage.start();
    const stream = await open(stage, writing);
    expect(stream.events()).toEqual([control(0)]);
    await writing.write("ab");
    await nextTurn();
    await writing.write("c");
    await nextTurn();
    await writing.complete();
    await stream.end;
    expect(stream.events()).toEqual([
      control(0),
      ["data", place(1, 2), "ab"],
      control(2),
      ["data", place(1, 3), "c"],
      control(3),
      [
        "control",
        place(1, 3),
        { streamNextOffset: place(1, 3), upToDate: true, streamClosed: true, status: "completed" },
      ],
    ]);
  });

  it("has header fields that keep proxies from caching, compressing and buffering it", async () => {
    const stage = createOutputStage();
    const { reply, abort } = await open(stage, await stage.start());
    expect(reply).toMatchObject({
      status: 200,
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-store, no-transform",
        "x-accel-buffering": "no",
        "x-content-type-options": "nosniff",
      },
    });
    await abort();
  });

  it("goes on after Last-Event-ID, which an EventSource sends, and not after the offset of its address", async () => {
    const stage = createOutputStage();
    const writing = await stage.start();
    await writing.write("abc");
    await writing.complete();
    const stream = await open(stage, writing, "-1", { "last-event-id": place(1, 2) });
    expect(stream.events()[0]).toEqual(["data", place(1, 3), "c"]);
    expect(stream.ended).toBe(true);
    const over = await open(stage, writing, "-1", { "last-event-id": place(1, 3) });
    expect([over.reply.status, over.reply.headers["stream-closed"]]).toEqual([204, "true"]);
    const first = await open(stage, writing, place(1, 3));
    expect(first.events()).toEqual([control(3, { streamClosed: true, status: "completed" })]);
    expect((await open(stage, writing, "-1", { "last-event-id": "x" })).reply.status).toBe(400);
  });

  it("ends at a discard, and the place of the client is gone", async () => {
    const stage = createOutputStage();
    const first = await stage.start();
    await first.write("ab", '{"next":1}');
    await first.write("c");
    const stream = await open(stage, first);
    await first.again(2);
    await stream.end;
    await first.write("C");
    expect(stream.events()).toEqual([["data", place(1, 3), "abc"], control(3)]);
    const gone = await open(stage, first, place(1, 3));
    expect([gone.reply.status, gone.reply.headers["stream-next-offset"]]).toEqual([410, place(1, 2)]);
  });

  it("ends at a discard also if the operation has ended since", async () => {
    const stage = createOutputStage();
    const first = await stage.start();
    await first.write("ab");
    const stream = await open(stage, first);
    await first.again();
    await first.complete();
    await stream.end;
    expect(stream.events()).toEqual([["data", place(1, 2), "ab"], control(2)]);
  });

  it("sends a large output in parts, and says with each whether it is all", async () => {
    const stage = createOutputStage();
    const writing = await stage.start();
    for (let count = 0; count < 3; count += 1) await writing.write("x".repeat(50_000));
    await writing.complete();
    const stream = await open(stage, writing);
    await stream.end;
    const controls = stream.events().filter(([type]) => type === "control");
    expect(controls.map(([, , data]) => data)).toEqual([
      { streamNextOffset: place(1, 100_000), streamCursor: expect.any(String) },
      expect.objectContaining({ streamNextOffset: place(1, 150_000), streamClosed: true }),
    ]);
  });

  it("sends comments during silence, and ends at its limit", async () => {
    const stage = createOutputStage({ maxStreamMs: 20_000 });
    const stream = await open(stage, await stage.start());
    await stage.clock.advance(8_000);
    expect(stream.received.comments).toBe(1);
    await stage.clock.advance(11_700);
    expect(stream.ended).toBe(false);
    await stage.clock.advance(300);
    expect(stream.ended).toBe(true);
  });

  it("ends when the service closes", async () => {
    const stage = createOutputStage();
    const stream = await open(stage, await stage.start());
    await stage.service.close();
    await stream.end;
    expect(stream.events()).toEqual([control(0)]);
  });

  it.each([
    ["the service does not stream", { maxStreamMs: 0 }],
    ["all places are taken", { maxWaiters: 1 }],
  ])(
    "is refused with a time if %s and there is nothing new, and otherwise ends after what stands",
    async (_, given) => {
      const stage = createOutputStage(given);
      const writing = await stage.start();
      const taken = await open(stage, await stage.start());
      const refused = await open(stage, writing);
      expect([refused.reply.status, refused.reply.headers["retry-after"]]).toEqual([
        429,
        expect.stringMatching(/^[1-5]$/),
      ]);
      await writing.write("a");
      const stream = await open(stage, writing);
      expect([stream.ended, stream.events()]).toEqual([true, [["data", place(1, 1), "a"], control(1)]]);
      await taken.abort();
    },
  );

  it("is read only as fast as its client takes it, at the place of the client", async () => {
    const stage = createOutputStage();
    const writing = await stage.start();
    const reply = await stage.get(writing, "?offset=-1&live=sse");
    const chunks = toIterator(reply.body);
    await chunks.next();
    const before = stage.reads.length;
    for (const text of "abcdef") {
      await writing.write(text);
      await nextTurn();
    }
    expect(stage.reads.length).toBe(before);
    const { value } = await chunks.next();
    expect(new TextDecoder().decode(value as Uint8Array)).toContain('data:["a","b","c","d","e","f"]');
    expect(stage.reads.length).toBe(before + 1);
    await chunks.return?.();
  });
});
