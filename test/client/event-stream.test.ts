import { eventStream } from "async-request-reply/client";
import { describe, expect, it, vi } from "vitest";
import {
  accepted,
  completed,
  ID,
  later,
  leaveSoon,
  lost,
  play,
  type Step,
  times,
  watch,
} from "./scripted.js";

const done = { operationId: ID, status: "completed", result: "done" };

const encoder = new TextEncoder();
const EVENT_STREAM = { headers: { "content-type": "text/event-stream" } };

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
    return new Response(body, EVENT_STREAM);
  };
}

const first = stream([event("1", percent(1))]);
const last = stream([event("2", done)]);

/** Iterates over an operation, and returns what was seen: a percentage or the status. */
async function follow(...steps: readonly Step[]) {
  const { api, log, sent } = play([accepted, ...steps], { eventStream });
  const seen = await watch(await api.exports.submit({ accountId: "a" }));
  return { seen, log: log.slice(1), lastIds: sent("last-event-id").slice(1) };
}

it("reads all states from one connection", async () => {
  const { seen, log } = await follow(
    stream(["retry: 500\n\n", event("1", percent(1)), ":\n\n", event("2", percent(2)), event("3", done)]),
  );
  expect(seen).toEqual([1, 2, "completed"]);
  expect(log).toEqual([`0.0 GET /operations/${ID}`]);
});

it("joins events that arrive in pieces, also within a character", async () => {
  const text = event("1", { ...percent(1), note: "ü" }) + event("2", done);
  const { seen } = await follow(stream(Array.from(encoder.encode(text), (byte) => Uint8Array.of(byte))));
  expect(seen).toEqual([1, "completed"]);
});

it.each(["ends", "breaks"] as const)("reconnects with the last id if the connection %s", async (end) => {
  const { seen, log, lastIds } = await follow(stream(["retry: 500\n\n", event("1", percent(1))], end), last);
  expect(seen).toEqual([1, "completed"]);
  expect(lastIds).toEqual([null, '"1"']);
  expect(log[1]).toBe(`0.5 GET /operations/${ID}`);
});

it("reconnects if the connection is silent for 30 s", async () => {
  const { seen, log } = await follow(stream([event("1", percent(1))], "is silent"), last);
  expect(seen).toEqual([1, "completed"]);
  expect(log[1]).toBe(`31.0 GET /operations/${ID}`);
});

it("repeats the request if the service is away", async () => {
  const { seen } = await follow(lost, () => new Response(null, { status: 503 }), stream([event("1", done)]));
  expect(seen).toEqual(["completed"]);
});

it("waits instead if the service does not stream", async () => {
  const { seen, log } = await follow(completed, later(1, completed));
  expect(seen).toEqual(["completed"]);
  expect(log).toHaveLength(2);
});

describe("reads events as browsers do", () => {
  const line = JSON.stringify(percent(1));
  const [before, after] = [line.slice(0, 20), line.slice(20)];

  it.each([
    ["lines that end with CR", [`id: "1"\rdata: ${line}\r\r`]],
    ["lines that end with CR and LF", [`id: "1"\r\ndata: ${line}\r\n\r\n`]],
    ["lines that end with CR and LF in different pieces", [`data: ${line}\r`, "\n", "\r", "\n"]],
    ["mixed ends of lines", [`:comment\rid: "1"\r\ndata: ${line}\n\r`]],
    ["several lines of data", [`data: {\ndata:${line.slice(1, -1)}\ndata: }\n\n`]],
    ["no space after the colon", [`data:${line}\n\n`]],
    ["a byte order mark", [Uint8Array.of(0xef, 0xbb, 0xbf), `data: ${line}\n\n`]],
    ["a line in two pieces", [`data: ${before}`, `${after}\n\n`]],
    ["unknown fields", [`wait: 7\nDATA: x\n data: x\ndata: ${line}\ncolon\n\n`]],
    ["an event with another name before it", [`event: ping\ndata: {}\n\ndata: ${line}\n\n`]],
    ["an event with the name that no name stands for", [`event: message\ndata: ${line}\n\n`]],
  ])("with %s", async (_, chunks) => {
    const { seen, log } = await follow(stream([...chunks, event("2", done)]));
    expect(seen).toEqual([1, "completed"]);
    expect(log).toHaveLength(1);
  });

  it("without an event that the end of the connection cut, and without its id", async () => {
    const { seen, lastIds } = await follow(
      stream([event("1", percent(1)), `id: "2"\ndata: ${JSON.stringify(percent(2))}\n`]),
      stream([event("3", done)]),
    );
    expect(seen).toEqual([1, "completed"]);
    expect(lastIds).toEqual([null, '"1"']);
  });

  it("with the id of the event before, if an event has none or one with a null character", async () => {
    const { lastIds } = await follow(
      stream([event("1", percent(1)), `data: ${line}\n\n`, "id: a\0b\n\n"]),
      last,
    );
    expect(lastIds).toEqual([null, '"1"']);
  });
});

describe("the time until a reconnect", () => {
  it.each(["0", "-1", "", "soon", "1e3", "0x10", " 7", "1.5", "٣"])(
    "is no less for `retry: %s`",
    async (retry) => {
      const silent = stream([`retry: ${retry}\n\n`]);
      const { log } = await follow(...Array<Step>(20).fill(silent), stream([event("1", done)]));
      const seconds = times(log).map(Number);
      const pauses = seconds.slice(1).map((second, index) => second - (seconds[index] ?? 0));
      expect(Math.min(...pauses)).toBeGreaterThan(0.4);
    },
  );

  it("grows while connections bring nothing, and no longer when one does", async () => {
    const { log } = await follow(...Array<Step>(4).fill(stream([])), first, last);
    expect(times(log)).toEqual(["0.0", "1.0", "2.0", "4.0", "8.0", "9.0"]);
  });

  it("is what the service sent last, also if the event is cut", async () => {
    const { log } = await follow(stream(["retry: 700\n\nretry: 7000\n"]), stream([event("1", done)]));
    expect(log[1]).toBe(`7.0 GET /operations/${ID}`);
  });
});

it.each([
  ["no JSON", "data: {\n\n"],
  ["empty", "data\n\n"],
  ["no operation", "data: {}\n\n"],
  ["null", "data: null\n\n"],
])("an event that is %s says so", async (_, text) => {
  await expect(follow(stream([text], "is silent"))).rejects.toMatchObject({
    code: "INVALID_OPTION",
    detail: `An event of http://localhost/operations/${ID} is not an operation. Check \`baseUrl\` and \`statusPath\`.`,
  });
});

it("a line without an end is refused and cancelled", async () => {
  let sent = 0;
  const cancel = vi.fn();
  const chunk = encoder.encode("x".repeat(2 ** 12));
  const endless: Step = () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += chunk.length;
        controller.enqueue(chunk);
      },
      cancel,
    });
    return new Response(body, EVENT_STREAM);
  };
  await expect(follow(endless)).rejects.toMatchObject({
    code: "INVALID_OPTION",
    detail: `An event of http://localhost/operations/${ID} has more than 16777216 characters, which no operation has.`,
  });
  expect(sent).toBeLessThan(2 ** 24 + 4 * chunk.length);
  expect(cancel).toHaveBeenCalledTimes(1);
});

describe("a reply that is no stream", () => {
  const cancelling = (type: string) => {
    const cancel = vi.fn();
    const step: Step = () =>
      new Response(new ReadableStream({ cancel }), { headers: { "content-type": type } });
    return { step, cancel };
  };

  it("is cancelled, and the error says what it is", async () => {
    const { step, cancel } = cancelling("text/html; charset=utf-8");
    await expect(follow(step)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: `The reply of http://localhost/operations/${ID} is "text/html; charset=utf-8", and not an event stream. Check \`baseUrl\` and \`statusPath\`.`,
    });
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it("is cancelled if it is JSON, because the service does not stream, and the client waits instead", async () => {
    const { step, cancel } = cancelling("application/json");
    const { seen } = await follow(step, completed);
    expect(seen).toEqual(["completed"]);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it("may begin like the media type of one", async () => {
    const { step } = cancelling("text/event-streams");
    await expect(follow(step)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});

it("ends when the signal is aborted", async () => {
  const { api } = play([accepted, stream([event("1", percent(1))], "is silent")], { eventStream });
  const op = await api.exports.submit({ accountId: "a" });
  await expect(watch(op.states({ signal: leaveSoon() }))).rejects.toThrow("The page was left.");
});
