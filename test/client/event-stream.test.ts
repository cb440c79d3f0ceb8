import { eventStream } from "async-request-reply/client";
import { expect, it } from "vitest";
import { accepted, completed, ID, later, lost, play, type Step } from "./scripted.js";

const done = { operationId: ID, status: "completed", result: "done" };

const encoder = new TextEncoder();

function percent(value: number): object {
  return { operationId: ID, status: "pending", progress: { percent: value } };
}

function event(id: string, data: object): string {
  return `id: "${id}"\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A stream that sends its chunks, and then ends, or stays open and silent. */
function stream(
  chunks: readonly (string | Uint8Array)[],
  end: "ends" | "is silent" | "breaks" = "ends",
): Step {
  return () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const chunk of chunks)
          controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
        if (end === "ends") controller.close();
      },
      pull: (controller) => {
        if (end === "breaks") controller.error(lost());
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

/** Iterates over an operation, and returns what was seen: a percentage or the status. */
async function follow(steps: readonly Step[]): Promise<{
  readonly seen: readonly unknown[];
  readonly log: readonly string[];
  readonly lastIds: readonly (string | null)[];
}> {
  const lastIds: (string | null)[] = [];
  const recorded = steps.map(
    (step): Step =>
      (request) => {
        lastIds.push(request.headers.get("last-event-id"));
        return step(request);
      },
  );
  const { api, log } = play([accepted, ...recorded], { eventStream });
  const seen: unknown[] = [];
  for await (const state of await api.exports.submit({ accountId: "a" }))
    seen.push((state.status === "pending" && state.progress?.percent) || state.status);
  return { seen, log: log.slice(1), lastIds };
}

it("reads all states from one connection", async () => {
  const { seen, log } = await follow([
    stream(["retry: 500\n\n", event("1", percent(1)), ":\n\n", event("2", percent(2)), event("3", done)]),
  ]);
  expect(seen).toEqual([1, 2, "completed"]);
  expect(log).toEqual([`0.0 GET /operations/${ID}`]);
});

it("joins events that arrive in pieces, also within a character", async () => {
  const text = event("1", { ...percent(1), note: "ü" }) + event("2", done);
  const { seen } = await follow([stream(Array.from(encoder.encode(text), (byte) => Uint8Array.of(byte)))]);
  expect(seen).toEqual([1, "completed"]);
});

it.each(["ends", "breaks"] as const)("reconnects with the last id if the connection %s", async (end) => {
  const { seen, log, lastIds } = await follow([
    stream(["retry: 500\n\n", event("1", percent(1))], end),
    stream([event("2", done)]),
  ]);
  expect(seen).toEqual([1, "completed"]);
  expect(lastIds).toEqual([null, '"1"']);
  expect(log[1]).toBe(`0.5 GET /operations/${ID}`);
});

it("reconnects if the connection is silent for 30 s", async () => {
  const { seen, log } = await follow([
    stream([event("1", percent(1))], "is silent"),
    stream([event("2", done)]),
  ]);
  expect(seen).toEqual([1, "completed"]);
  expect(log[1]).toBe(`31.0 GET /operations/${ID}`);
});

it("repeats the request if the service is away", async () => {
  const { seen } = await follow([
    lost,
    () => new Response(null, { status: 503 }),
    stream([event("1", done)]),
  ]);
  expect(seen).toEqual(["completed"]);
});

it("waits instead if the service does not stream", async () => {
  const { seen, log } = await follow([completed, later(1, completed)]);
  expect(seen).toEqual(["completed"]);
  expect(log).toHaveLength(2);
});

it("ends when the signal is aborted", async () => {
  const { api } = play([accepted, stream([event("1", percent(1))], "is silent")], { eventStream });
  const op = await api.exports.submit({ accountId: "a" });
  const leaving = new AbortController();
  const read = async (): Promise<void> => {
    for await (const _ of op.states({ signal: leaving.signal }))
      setTimeout(() => leaving.abort(new Error("The page was left.")), 1_000);
  };
  await expect(read()).rejects.toThrow("The page was left.");
});
