import { deepEqual, equal, ok } from "../../../../src/testing/expect.js";
import type { WireConnection, WireResponse } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { request } from "../fixtures/orders-fixture.js";
import { mountPending } from "../fixtures/pending-fixture.js";
import { checkFields, checkReply, checkStatus, field, jsonOf } from "../fixtures/reply-checks.js";

const RULE = "docs/waiting.md, streams";
const accept = "text/event-stream";
const STREAM = {
  "content-type": accept,
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
  vary: "accept",
  etag: undefined,
};

/** Returns the `id` and the `data` of each event. */
function eventsOf({ body }: WireResponse): (readonly [id: string, data: string])[] {
  return [...body.matchAll(/^id: (.*)\ndata: (.*)\n\n/gm)].map(([, id = "", data = ""]) => [id, data]);
}

function statusesOf(reply: WireResponse): unknown[] {
  return eventsOf(reply).map(([, data]) => (JSON.parse(data) as { readonly status?: unknown }).status);
}

/** GET with `Accept: text/event-stream` on the status endpoint. */
export const streamedOperationCases = [
  ...casesOf(
    {
      [RULE]: {
        "streams the states of an operation until it ends, with the tags of polls as ids": async (
          harness,
        ) => {
          const { send, path, read, work } = await mountPending(harness);
          const streaming = send(request("GET", path, { accept }));
          await read;
          await work(() => ({ shipped: 2 }));
          const reply = await streaming;
          checkReply(reply, 200, STREAM);
          const [first, last] = [statusesOf(reply)[0], statusesOf(reply).at(-1)];
          deepEqual([first, last], ["pending", "completed"], "the first and the last status");
          const poll = await send(request("GET", path));
          deepEqual(eventsOf(reply).at(-1), [field(poll, "etag"), poll.body], "the last event");
        },
      },
    },
    ["streams"],
  ),
  ...casesOf({
    [RULE]: {
      "sends a stream of one event for an operation that has ended, and 204 to a client that has this event":
        async (harness) => {
          const { send, path, work } = await mountPending(harness);
          await work();
          const poll = await send(request("GET", path));
          const reply = await send(request("GET", path, { accept }));
          checkReply(reply, 200, STREAM);
          const id = field(poll, "etag") ?? "";
          equal(reply.body, `id: ${id}\ndata: ${poll.body}\n\n`, "the stream");
          const again = await send(request("GET", path, { accept, "last-event-id": id }));
          checkReply(again, 204, { "cache-control": "no-store", vary: "accept", "content-type": undefined });
          const missed = await send(request("GET", path, { accept, "last-event-id": '"other"' }));
          equal(missed.body, reply.body, "the stream for another id");
        },
      "refuses a stream of an operation that the tenant does not have, and every stream if maxStreamMs is 0":
        async (harness) => {
          const { send, path } = await mountPending(harness, { maxStreamMs: 0 });
          checkStatus(await send(request("GET", path, { accept })), 406);
          const { send: sendOn, path: streamed } = await mountPending(harness);
          const foreign = request("GET", streamed, { accept, authorization: "Bearer token-of-b" });
          const reply = await sendOn(foreign);
          checkReply(reply, 404, { "content-type": "application/problem+json" });
        },
    },
    "docs/security.md, limits": {
      "ends a stream after the current state if too many requests wait already": async (harness) => {
        const { send, path, read, work } = await mountPending(harness, { maxWaiters: 1 });
        const waiting = send(request("GET", path, { prefer: "wait=20" }));
        await read;
        const reply = await send(request("GET", path, { accept }));
        checkReply(reply, 200, STREAM);
        ok(/^retry: \d+\n\nid: /.test(reply.body), `expected a reconnection time, got ${reply.body}`);
        deepEqual(statusesOf(reply), ["pending"], "the statuses");
        const [[id = ""] = []] = eventsOf(reply);
        const again = await send(request("GET", path, { accept, "last-event-id": id }));
        ok(/^retry: \d+\n\n$/.test(again.body), `expected no event, got ${again.body}`);
        await work();
        checkStatus(await waiting, 200);
      },
    },
    "RFC 9110 §9.3.2": {
      "answers HEAD with the header fields of a stream": async (harness) => {
        const { send, path } = await mountPending(harness);
        const head = await send(request("HEAD", path, { accept }));
        checkReply(head, 200, STREAM);
        equal(head.body, "", "the body");
      },
    },
    "RFC 9110 §12.5.1": {
      "sends a stream only if Accept names it and prefers it": async (harness) => {
        const { send, path, work } = await mountPending(harness);
        await work();
        for (const other of [
          "*/*",
          "text/event-stream, application/json",
          "text/event-stream;q=0.1, */*;q=0.2",
        ]) {
          const reply = await send(request("GET", path, { accept: other }));
          checkStatus(reply, 200);
          equal(jsonOf(reply).status, "completed", `the status for ${other}`);
        }
        checkStatus(await send(request("GET", path, { accept: "text/*" })), 406);
        checkFields(
          await send(request("GET", path, { accept: "application/json;q=0.9, text/event-stream" })),
          STREAM,
        );
      },
    },
  }),
  ...casesOf(
    {
      [RULE]: {
        "sends the first event at once, and frees the place of a client that disconnects": async (
          harness,
        ) => {
          const { open, path, hasPlace } = await mountPending(harness, { maxWaiters: 2 });
          const connection = (await open?.()) as WireConnection;
          await connection.write(request("GET", path, { accept }));
          await connection.readUntil('"status":"pending"');
          ok(!(await hasPlace()), "expected the stream to hold the only place of its tenant");
          connection.abort();
          while (!(await hasPlace())) await connection.closed;
        },
      },
    },
    ["streams", "sockets"],
  ),
];
