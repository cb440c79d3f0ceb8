import { operationError } from "../../../../src/contract/problem.js";
import { deepEqual, equal, ok } from "../../../../src/testing/expect.js";
import type { WireConnection } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { request } from "../fixtures/orders-fixture.js";
import { mountOutput } from "../fixtures/output-fixture.js";
import {
  checkFields,
  checkReply,
  checkStatus,
  type Fields,
  field,
  jsonOf,
  WHOLE_SECONDS,
} from "../fixtures/reply-checks.js";

const RULE = "docs/output.md";
const PLACE = /^\d{16}_\d{16}$/;
const PART: Fields = {
  "content-type": "application/json",
  "cache-control": "private, no-cache",
  "x-content-type-options": "nosniff",
  "stream-next-offset": PLACE,
  etag: /^"[^"]+"$/,
};
const CLOSED: Fields = { "stream-up-to-date": "true", "stream-closed": "true", "stream-cursor": undefined };

/** GET and HEAD of the output of an operation. */
export const outputCases = [
  ...casesOf({
    [RULE]: {
      "replies with the chunks after an offset, and says when nothing follows": async (harness) => {
        const { send, path, write, complete } = await mountOutput(harness);
        await write("ab");
        const first = await send(request("GET", path));
        checkReply(first, 200, { ...PART, "stream-up-to-date": "true", "stream-closed": undefined });
        equal(first.body, '["a","b"]', "the chunks");
        const offset = field(first, "stream-next-offset");
        await write("c");
        await complete();
        const second = await send(request("GET", `${path}?offset=${offset}`));
        checkReply(second, 200, { ...PART, ...CLOSED });
        equal(second.body, '["c"]', "the chunks after the first");
        const known = { "if-none-match": field(second, "etag") ?? "" };
        const same = await send(request("GET", `${path}?offset=${offset}`, known));
        checkReply(same, 304, { etag: known["if-none-match"], "stream-closed": "true" });
      },
      "replies with a part of a large output, and with 304 to a client that has it": async (harness) => {
        const { send, path, write } = await mountOutput(harness);
        await write("x".repeat(100_000));
        await write("y");
        const part = await send(request("GET", path));
        checkReply(part, 200, { ...PART, "stream-up-to-date": undefined, "stream-closed": undefined });
        ok(part.body.endsWith('"x"]'), "expected the part to end before the last chunk");
        for (const live of ["", "?offset=-1&live=long-poll"]) {
          const same = await send(
            request("GET", path + live, { "if-none-match": field(part, "etag") ?? "" }),
          );
          checkReply(same, 304, { "stream-up-to-date": undefined, "stream-next-offset": PLACE });
        }
      },
      "replies with the end of the output to offset=now and to HEAD": async (harness) => {
        const { send, path, write } = await mountOutput(harness);
        await write("ab");
        const end = field(await send(request("GET", path)), "stream-next-offset");
        const fields = { "cache-control": "no-store", "stream-next-offset": end, etag: undefined };
        const now = await send(request("GET", `${path}?offset=now`));
        checkReply(now, 200, fields);
        equal(now.body, "[]", "the chunks");
        checkReply(await send(request("HEAD", path)), 200, { ...fields, "content-type": "application/json" });
      },
      "replies 410 with the last place that stands to an offset of discarded chunks": async (harness) => {
        const { send, path, write, again } = await mountOutput(harness);
        await write("ab");
        const offset = field(await send(request("GET", path)), "stream-next-offset");
        await again();
        const gone = await send(request("GET", `${path}?offset=${offset}`));
        checkReply(gone, 410, { "content-type": "application/problem+json", "stream-next-offset": PLACE });
        equal(jsonOf(gone).name, "output-discarded", "the problem");
        const rest = await send(request("GET", `${path}?offset=${field(gone, "stream-next-offset")}`));
        equal(rest.body, "[]", "the chunks that stand");
      },
      "lets a long poll wait for the next chunks, and then for the end": async (harness) => {
        const { send, path, read, write, complete } = await mountOutput(harness);
        const waiting = send(request("GET", `${path}?offset=-1&live=long-poll`));
        await read;
        await write("ab");
        const first = await waiting;
        checkReply(first, 200, { ...PART, "stream-cursor": /^\d+$/ });
        equal(first.body, '["a","b"]', "the chunks");
        const next = `${path}?offset=${field(first, "stream-next-offset")}&live=long-poll`;
        const ending = send(request("GET", next));
        await complete();
        checkReply(await ending, 204, { ...CLOSED, "cache-control": "no-store" });
        checkReply(await send(request("GET", next)), 204, CLOSED);
      },
      "replies 204 to a long poll whose time is over": async (harness) => {
        const { send, path } = await mountOutput(harness, { maxWaitMs: 50 });
        const reply = await send(request("GET", `${path}?offset=-1&live=long-poll`));
        checkReply(reply, 204, {
          "stream-next-offset": PLACE,
          "stream-up-to-date": "true",
          "stream-cursor": /^\d+$/,
        });
      },
      "refuses to wait with the time of the next request if waiting is off": async (harness) => {
        const { send, path } = await mountOutput(harness, { maxWaitMs: 0, maxStreamMs: 0 });
        for (const live of ["long-poll", "sse"]) {
          const reply = await send(request("GET", `${path}?offset=-1&live=${live}`));
          checkReply(reply, 429, { "retry-after": WHOLE_SECONDS });
        }
      },
      "streams a closed output to its end, and replies 204 to an EventSource that has it": async (
        harness,
      ) => {
        const { send, path, write, complete } = await mountOutput(harness);
        await write("ab");
        await complete();
        const stream = await send(request("GET", `${path}?offset=-1&live=sse`));
        checkReply(stream, 200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
        const [, id = ""] =
          /^id: (.*)\nevent: data\ndata:\["a","b"\]\n\nevent: control\n/m.exec(stream.body) ?? [];
        ok(PLACE.test(id), `expected an event with an id, got ${stream.body}`);
        const [, control = "{}"] = /^event: control\ndata:(.*)\n\n/m.exec(stream.body) ?? [];
        const end = { streamNextOffset: id, upToDate: true, streamClosed: true, status: "completed" };
        deepEqual(JSON.parse(control), end, "the control event");
        const again = await send(request("GET", `${path}?offset=-1&live=sse`, { "last-event-id": id }));
        checkReply(again, 204, CLOSED);
      },
      "refuses malformed and repeated parameters": async (harness) => {
        const { send, path } = await mountOutput(harness);
        for (const query of ["offset=5", "offset=-1&offset=-1", "live=sse", "offset=-1&live=x", "cursor=x"])
          checkStatus(await send(request("GET", `${path}?${query}`)), 400);
      },
      "shows an output to the tenant of its operation only, to be read only": async (harness) => {
        const { send, path } = await mountOutput(harness);
        checkStatus(await send(request("GET", path, { authorization: "Bearer token-of-b" })), 404);
        checkFields(await send(request("PUT", path)), { allow: "GET, HEAD, OPTIONS" });
        checkStatus(await send(request("GET", `${path}/`)), 404);
      },
      "links to the output in the status of the operation, and in a reply to a submission that waited":
        async (harness) => {
          const { send, path, resubmit, complete } = await mountOutput(harness);
          const status = await send(request("GET", path.replace("/output", "")));
          deepEqual(jsonOf(status).output, { href: path, closed: false }, "the link in the status");
          await complete();
          const reply = await resubmit({ prefer: "wait=20" });
          checkStatus(reply, 200);
          deepEqual(jsonOf(reply).output, { href: path, closed: true }, "the link in the reply");
        },
      "shows an operation whose output was too large": async (harness) => {
        const { send, path, resubmit, fail } = await mountOutput(harness);
        const error = operationError("output-too-large", "Why it is so.");
        await fail(error);
        const read = await send(request("GET", path.replace("/output", "")));
        const waited = await resubmit({ prefer: "wait=20" });
        for (const reply of [read, waited]) {
          checkStatus(reply, 200);
          const shown = { ...JSON.parse(error), name: "output-too-large" };
          deepEqual(jsonOf(reply).error, shown, "the error");
        }
      },
    },
  }),
  ...casesOf(
    {
      [RULE]: {
        "streams the chunks of an output as they come": async (harness) => {
          const { open, path, write, complete } = await mountOutput(harness);
          const connection = (await open?.()) as WireConnection;
          await connection.write(request("GET", `${path}?offset=-1&live=sse`));
          await connection.readUntil('"upToDate":true');
          await write("ab");
          await connection.readUntil('data:["a","b"]');
          await write("c");
          await connection.readUntil('data:["c"]');
          await complete();
          await connection.readUntil('"streamClosed":true');
          connection.abort();
        },
      },
    },
    ["streams", "sockets"],
  ),
];
