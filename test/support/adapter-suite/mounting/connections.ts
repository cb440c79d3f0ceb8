import { deepEqual, ok } from "../../../../src/testing/expect.js";
import type { AdapterCase, AdapterHarness, WireConnection, WireRequest } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { mountOrders, type Options, type Orders, request, submission } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import { checkReply, checkStatus, field, operationIdOf } from "../fixtures/reply-checks.js";

const SHORT_BODY = "x".repeat(1_000);
/** More than a server reads at once, and more than the service accepts. */
const LONG_BODY = Array.from({ length: 40 }, () => "x".repeat(10_000));

/** Refusals sent before the body is read, for requests with a body that the server would have read. */
const early: readonly { readonly status: number; readonly change: WireRequest }[] = [
  { status: 401, change: submission({ fields: { authorization: undefined }, body: SHORT_BODY }) },
  { status: 415, change: submission({ fields: { "content-type": "text/plain" }, body: SHORT_BODY }) },
  { status: 404, change: submission({ path: "/nothing", body: SHORT_BODY }) },
  { status: 405, change: submission({ method: "PUT", body: SHORT_BODY }) },
  { status: 400, change: submission({ fields: { "idempotency-key": "a b" }, body: SHORT_BODY }) },
];

/** Connection reuse and closing (RFC 9112 §9), on transports that have connections. */
export const connectionCases = [
  ...early.map(
    ({ status, change }): AdapterCase => ({
      name: `reuses the connection after a ${status} that left a short body unread`,
      rule: "RFC 9112 §9.3",
      needs: ["sockets"],
      run: async (harness) => {
        const { connection } = await open(harness);
        await connection.write(change);
        checkStatus(await connection.read(), status);
        await connection.write(submission());
        checkStatus(await connection.read(), 202);
      },
    }),
  ),
  ...[
    { framing: "chunked", fields: {} },
    { framing: "declared", fields: { "content-length": String(LONG_BODY.join("").length) } },
  ].map(
    ({ framing, fields }): AdapterCase => ({
      name: `closes the connection after refusing a long ${framing} body, once the client has sent it and read the reply`,
      rule: "RFC 9112 §9.6",
      needs: ["sockets"],
      run: async (harness) => {
        const { connection } = await open(harness);
        const refused = { ...fields, authorization: undefined };
        await connection.write(submission({ fields: refused, body: { chunks: LONG_BODY } }));
        checkProblem(await connection.read(), 401, "unauthenticated", { connection: "close" });
        await connection.closed;
      },
    }),
  ),
  ...casesOf(
    {
      "RFC 9110 §15.5.9": {
        "closes the connection after a 408, so that slow clients hold no resources": async (harness) => {
          const { connection } = await open(harness, { bodyTimeoutMs: 20 });
          await connection.write(
            submission({ fields: { "content-length": "100" }, body: { chunks: ["{"], end: "stall" } }),
          );
          checkReply(await connection.read(), 408, { connection: "close" });
          await connection.closed;
        },
      },
      "RFC 9112 §9.3.2": {
        "answers pipelined requests in order": async (harness) => {
          const { connection, orders } = await open(harness);
          const keys = ["a", "b", "c"];
          for (const key of keys) await connection.write(submission({ fields: { "idempotency-key": key } }));
          await connection.write(request("GET", "/operations/1"));
          await connection.write(request("OPTIONS", "/orders"));
          const ids: string[] = [];
          for (const _ of keys) ids.push(operationIdOf(await connection.read()));
          checkStatus(await connection.read(), 404);
          checkStatus(await connection.read(), 204);
          const keyed = (await orders.recorded()).map(({ id, key }) => [key, id]).sort();
          const expected = keys.map((key, index) => [key, ids[index]]);
          deepEqual(keyed, expected, "the operations of the keys");
        },
      },
      "RFC 9112 §9.3": {
        "serves many requests of every kind on one connection": async (harness) => {
          const { connection } = await open(harness);
          for (const body of ["{", undefined, { chunks: ["{}"] }, "[]", undefined]) {
            await connection.write(submission(body === undefined ? {} : { body }));
            const reply = await connection.read();
            ok(reply.status < 500, `expected no reply with ${reply.status}`);
            ok(field(reply, "connection") !== "close", "the connection should stay open");
          }
          await connection.write(request("HEAD", "/operations/1"));
          checkStatus(await connection.read(), 404);
          await connection.write(submission());
          checkStatus(await connection.read(), 202);
        },
      },
    },
    ["sockets"],
  ),
];

async function open(
  harness: AdapterHarness,
  options?: Options,
): Promise<{ readonly connection: WireConnection; readonly orders: Orders }> {
  const orders = await mountOrders(harness, options);
  if (orders.open === undefined)
    throw new Error(
      "A harness with the capability `sockets` must open connections. Implement `open` on what `mount` returns.",
    );
  return { connection: await orders.open(), orders };
}
