import { createMemoryBackend, type HttpResponse, type RequestContext } from "async-request-reply";
import type { ConsoleAnswer } from "async-request-reply/console";
import { createManualClock } from "async-request-reply/testing";
import { expect, it, onTestFinished } from "vitest";
import { createConsoleStage } from "./stage.js";

const PATH = "/api/events";
/** Streams of one caller, and of all together. */
const MOST_OF_ONE = 100;
const MOST = 200;

/** Creates a console that counts the watchers of its store. */
function createStage(answer: () => ConsoleAnswer = () => "observe") {
  const clock = createManualClock();
  const backend = createMemoryBackend();
  const { operations } = backend;
  const watchers = new Set<unknown>();
  const watch: typeof operations.watch = (onChange) => {
    const stop = operations.watch?.(onChange);
    watchers.add(stop);
    return () => {
      watchers.delete(stop);
      stop?.();
    };
  };
  const watched = { ...backend, operations: { ...operations, watch } };
  const stage = createConsoleStage("observe", { backend: watched, authorize: answer, runtime: { clock } });
  const open = (context?: RequestContext): Promise<HttpResponse> =>
    stage.console.handle({ method: "GET", path: PATH, headers: {} }, context);
  onTestFinished(async () => {
    await stage.console.close();
    expect(watchers.size).toBe(0);
  });
  return { ...stage, clock, open, watchers, operations };
}

/** Reads the chunks of a stream as texts, after its first one, which is a comment. */
async function follow({ status, body }: HttpResponse) {
  expect(status).toBe(200);
  const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const next = async (): Promise<string | undefined> => {
    const { value } = await chunks.next();
    return value && new TextDecoder().decode(value);
  };
  expect(await next()).toBe(":\n\n");
  return { next, close: () => chunks.return?.() };
}

function changed(...ids: readonly string[]): string {
  return `event: changed\ndata: ${JSON.stringify({ ids })}\n\n`;
}

const UNKNOWN = "event: changed\ndata: {}\n\n";

it("sends the ids of operations that change, at most once per second", async () => {
  const { open, end, clock } = createStage();
  const [one, other] = [await follow(await open()), await follow(await open())];
  const ids = [await end("complete"), await end("throw")];
  const events = [one.next(), other.next()];
  await clock.advance(1_000);
  expect(await Promise.all(events)).toEqual([changed(...ids), changed(...ids)]);
  const next = one.next();
  const id = await end("complete");
  await clock.advance(999);
  expect(await Promise.race([next, "nothing"])).toBe("nothing");
  await clock.advance(1);
  expect(await next).toBe(changed(id));
});

it("names none if many change, or if a slow page has missed an event", async () => {
  const { open, submit, clock } = createStage();
  const [fast, slow] = [await follow(await open()), await follow(await open())];
  for (let count = 0; count < 101; count += 1) await submit("complete");
  const event = fast.next();
  await clock.advance(1_000);
  expect(await event).toBe(UNKNOWN);
  const id = await submit("complete");
  const later = fast.next();
  await clock.advance(1_000);
  expect(await later).toBe(changed(id));
  expect(await slow.next()).toBe(UNKNOWN);
});

it("sends comments during silence, and ends after a minute", async () => {
  const { open, clock } = createStage();
  const stream = await follow(await open());
  for (let count = 0; count < 7; count += 1) {
    const comment = stream.next();
    await clock.advance(8_000);
    expect(await comment).toBe(":\n\n");
  }
  const end = stream.next();
  await clock.advance(4_000);
  expect(await end).toBeUndefined();
});

it("watches the store only while a stream is open, and ends with the request", async () => {
  const { open, watchers, send } = createStage();
  const disconnected = new AbortController();
  const first = await follow(await open({ signal: disconnected.signal }));
  const second = await follow(await open());
  expect(watchers.size).toBe(1);
  const end = first.next();
  disconnected.abort();
  expect(await end).toBeUndefined();
  expect(watchers.size).toBe(1);
  await second.close();
  expect(watchers.size).toBe(0);
  expect(await send({ method: "HEAD", path: PATH })).toMatchObject({ status: 200 });
  expect(watchers.size).toBe(0);
});

it("ends with the console", async () => {
  const { open, console } = createStage();
  const stream = await follow(await open());
  const end = stream.next();
  await console.close();
  expect(await end).toBeUndefined();
});

it("leaves room for other callers, and is a 503 without any", async () => {
  let id = "ann";
  const { open } = createStage(() => ({ access: "observe", id }));
  const statuses = async (count: number): Promise<readonly number[]> =>
    Promise.all(Array.from({ length: count }, async () => (await open()).status));
  expect(new Set(await statuses(MOST_OF_ONE))).toEqual(new Set([200]));
  expect(await open()).toMatchObject({ status: 503, headers: { "retry-after": "2" } });
  for (let taken = MOST_OF_ONE; taken < MOST; taken += 1) {
    id = `other ${taken}`;
    expect((await open()).status).toBe(200);
  }
  id = "bob";
  expect((await open()).status).toBe(503);
});

it("is not there if the back end sends no notifications", async () => {
  const { operations, ...backend } = createMemoryBackend();
  const { watch: _, ...silent } = operations;
  const { read, send } = createConsoleStage("observe", { backend: { ...backend, operations: silent } });
  expect(await read("/api/overview")).toMatchObject({ live: false });
  expect((await send({ path: PATH })).status).toBe(404);
});
