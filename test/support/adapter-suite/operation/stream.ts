import { deepEqual, equal, ok } from "../../../../src/testing/expect.js";
import type { AdapterCase, AdapterHarness, WireConnection, WireResponse } from "../fixtures/adapter-case.js";
import { mountOrders, type Options, type Orders, request, submission } from "../fixtures/orders-fixture.js";
import { watchReads } from "../fixtures/reads.js";
import { checkFields, checkStatus, field, jsonOf, operationIdOf } from "../fixtures/reply-checks.js";

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

/** A service with a pending operation. */
interface Pending extends Orders {
  readonly path: string;
  /** Resolves when a request has read the operation. */
  readonly read: Promise<void>;
}

async function mountPending(harness: AdapterHarness, options: Options = {}): Promise<Pending> {
  const { backend, read } = watchReads(harness.createBackend(), "get");
  const orders = await mountOrders(harness, { ...options, backend });
  return { ...orders, path: `/operations/${operationIdOf(await orders.send(submission()))}`, read };
}

/** Returns the `id` and the `data` of each event. */
function eventsOf({ body }: WireResponse): (readonly [id: string, data: string])[] {
  return [...body.matchAll(/^id: (.*)\ndata: (.*)\n\n/gm)].map(([, id = "", data = ""]) => [id, data]);
}

function statusesOf(reply: WireResponse): unknown[] {
  return eventsOf(reply).map(([, data]) => (JSON.parse(data) as { readonly status?: unknown }).status);
}

/** GET with `Accept: text/event-stream` on the status endpoint. */
export const streamedOperationCases: readonly AdapterCase[] = [
  {
    name: "streams the states of an operation until it ends, with the tags of polls as ids",
    rule: RULE,
    needs: ["streams"],
    run: async (harness) => {
      const { send, path, read, work } = await mountPending(harness);
      const streaming = send(request("GET", path, { accept }));
      await read;
      await work(() => ({ shipped: 2 }));
      const reply = await streaming;
      checkStatus(reply, 200);
      checkFields(reply, STREAM);
      const [first, last] = [statusesOf(reply)[0], statusesOf(reply).at(-1)];
      deepEqual([first, last], ["pending", "completed"], "the first and the last status");
      const poll = await send(request("GET", path));
      deepEqual(eventsOf(reply).at(-1), [field(poll, "etag"), poll.body], "the last event");
    },
  },
  {
    name: "sends a stream of one event for an operation that has ended, and 204 to a client that has this event",
    rule: RULE,
    run: async (harness) => {
      const { send, path, work } = await mountPending(harness);
      await work();
      const poll = await send(request("GET", path));
      const reply = await send(request("GET", path, { accept }));
      checkStatus(reply, 200);
      checkFields(reply, STREAM);
      const id = field(poll, "etag") ?? "";
      equal(reply.body, `id: ${id}\ndata: ${poll.body}\n\n`, "the stream");
      const again = await send(request("GET", path, { accept, "last-event-id": id }));
      checkStatus(again, 204);
      checkFields(again, { "cache-control": "no-store", vary: "accept", "content-type": undefined });
      const missed = await send(request("GET", path, { accept, "last-event-id": '"other"' }));
      equal(missed.body, reply.body, "the stream for another id");
    },
  },
  {
    name: "ends a stream after the current state if too many requests wait already",
    rule: "docs/security.md, limits",
    run: async (harness) => {
      const { send, path, read, work } = await mountPending(harness, { maxWaiters: 1 });
      const waiting = send(request("GET", path, { prefer: "wait=20" }));
      await read;
      const reply = await send(request("GET", path, { accept }));
      checkStatus(reply, 200);
      checkFields(reply, STREAM);
      ok(/^retry: \d+\n\nid: /.test(reply.body), `expected a reconnection time, got ${reply.body}`);
      deepEqual(statusesOf(reply), ["pending"], "the statuses");
      const [[id = ""] = []] = eventsOf(reply);
      const again = await send(request("GET", path, { accept, "last-event-id": id }));
      ok(/^retry: \d+\n\n$/.test(again.body), `expected no event, got ${again.body}`);
      await work();
      checkStatus(await waiting, 200);
    },
  },
  {
    name: "answers HEAD with the header fields of a stream",
    rule: "RFC 9110 §9.3.2",
    run: async (harness) => {
      const { send, path } = await mountPending(harness);
      const head = await send(request("HEAD", path, { accept }));
      checkStatus(head, 200);
      checkFields(head, STREAM);
      equal(head.body, "", "the body");
    },
  },
  {
    name: "sends a stream only if Accept names it and prefers it",
    rule: "RFC 9110 §12.5.1",
    run: async (harness) => {
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
      const preferred = await send(
        request("GET", path, { accept: "application/json;q=0.9, text/event-stream" }),
      );
      checkFields(preferred, STREAM);
    },
  },
  {
    name: "refuses a stream of an operation that the tenant does not have, and every stream if maxStreamMs is 0",
    rule: RULE,
    run: async (harness) => {
      const { send, path } = await mountPending(harness, { maxStreamMs: 0 });
      checkStatus(await send(request("GET", path, { accept })), 406);
      const { send: sendOn, path: streamed } = await mountPending(harness);
      const foreign = request("GET", streamed, { accept, authorization: "Bearer token-of-b" });
      const reply = await sendOn(foreign);
      checkStatus(reply, 404);
      checkFields(reply, { "content-type": "application/problem+json" });
    },
  },
  {
    name: "sends the first event at once, and frees the place of a client that disconnects",
    rule: RULE,
    needs: ["streams", "sockets"],
    run: async (harness) => {
      const { send, open, path } = await mountPending(harness, { maxWaiters: 2 });
      const connection = (await open?.()) as WireConnection;
      await connection.write(request("GET", path, { accept }));
      await connection.readUntil('"status":"pending"');
      // Answered at once in any case, so it only shows whether there is a place.
      const hasPlace = async (): Promise<boolean> => {
        const fields = { prefer: "wait=20", "if-none-match": '"other"' };
        return field(await send(request("GET", path, fields)), "preference-applied") !== undefined;
      };
      ok(!(await hasPlace()), "expected the stream to hold the only place of its tenant");
      connection.abort();
      while (!(await hasPlace())) await connection.closed;
    },
  },
];
