import { permanentFailure } from "async-request-reply";
import { deepEqual } from "../../../../src/testing/expect.js";
import type { AdapterCase, AdapterHarness, WireResponse } from "../fixtures/adapter-case.js";
import { mountOrders, type Options, type Orders, request, submission } from "../fixtures/orders-fixture.js";
import { checkFields, checkReply, field, operationIdOf } from "../fixtures/reply-checks.js";

const SUCCESSOR = "01900000-0000-7000-8000-00000000abcd";
const link = (basePath = ""): string => `<${basePath}/operations/${SUCCESSOR}>; rel="successor-version"`;

const keyed = submission({ fields: { "idempotency-key": "k" } });
const read = (id: string, basePath = ""): ReturnType<typeof request> =>
  request("GET", `${basePath}/operations/${id}`);

/** Runs a failed operation again. */
type Redrive = (failed: string) => Promise<unknown>;

/** A store without `redrive` has no successors, so the case then checks nothing. */
function successorCase(
  name: string,
  options: Options,
  check: (orders: Orders, redrive: Redrive) => Promise<void>,
): AdapterCase {
  return {
    name,
    rule: "RFC 8288 §3, RFC 5829 §3.6",
    run: async (harness: AdapterHarness) => {
      const orders = await mountOrders(harness, options);
      const { operations } = orders.backend;
      if (operations.redrive === undefined) return;
      const onEndId = "01900000-0000-7000-8000-00000000abce";
      await check(orders, (failed) =>
        Promise.resolve(operations.redrive(failed, { id: SUCCESSOR, onEndId })),
      );
    },
  };
}

const fail = ({ work }: Orders): ReturnType<Orders["work"]> =>
  work(() => Promise.reject(permanentFailure("Sold out.")));

/** Everything in a representation except the link. */
function representation(reply: WireResponse): readonly unknown[] {
  return [reply.status, reply.body, field(reply, "etag"), field(reply, "content-type")];
}

/** Failed operations that ran again. */
export const successorCases = [
  successorCase(
    "links a failed operation to its successor and changes nothing else",
    {},
    async (orders, redrive) => {
      const { send } = orders;
      const id = operationIdOf(await send(submission()));
      await fail(orders);
      const before = await send(read(id));
      checkFields(before, { link: undefined });
      await redrive(id);
      const after = await send(read(id));
      checkFields(after, { link: link() });
      deepEqual(representation(after), representation(before), "the representation");
      const etag = field(before, "etag") ?? "";
      const unchanged = await send(request("GET", `/operations/${id}`, { "if-none-match": etag }));
      checkReply(unchanged, 304, { link: link() });
      checkReply(await send(read(SUCCESSOR)), 200, { link: undefined });
    },
  ),
  successorCase(
    "links to the successor in replies to a key that still replays the failure",
    {},
    async (orders, redrive) => {
      const { send } = orders;
      const id = operationIdOf(await send(keyed));
      await fail(orders);
      await redrive(id);
      const replay = await send(keyed);
      deepEqual(operationIdOf(replay), id, "the replayed operation");
      checkFields(replay, { link: link(), "idempotent-replayed": "true" });
      const waited = await send(submission({ fields: { "idempotency-key": "k", prefer: "wait=20" } }));
      checkReply(waited, 200, { link: link(), "idempotent-replayed": "true" });
    },
  ),
  successorCase(
    "prepends the base path to the successor in the link",
    { basePath: "/api" },
    async (orders, redrive) => {
      const { send } = orders;
      const path = "/api/orders";
      const id = operationIdOf(await send({ ...keyed, path }));
      await fail(orders);
      await redrive(id);
      checkFields(await send({ ...keyed, path }), { link: link("/api") });
      checkFields(await send(read(id, "/api")), { link: link("/api") });
    },
  ),
  successorCase(
    "links to the successor in the 201 of a key that replays the failure",
    { create: () => ({ body: { made: true } }) },
    async (orders, redrive) => {
      const { send } = orders;
      const first = await send(keyed);
      checkFields(first, { link: undefined });
      await fail(orders);
      await redrive((field(first, "operation-location") ?? "").slice("/operations/".length));
      checkReply(await send(keyed), 201, { link: link() });
    },
  ),
  successorCase(
    "sends the link to the successor next to the link of a deprecation",
    { deprecated: { since: new Date("2026-11-01T00:00:00Z"), link: "https://example.com/v2" } },
    async (orders, redrive) => {
      const { send } = orders;
      const id = operationIdOf(await send(keyed));
      await fail(orders);
      await redrive(id);
      const deprecation = '<https://example.com/v2>; rel="deprecation"; type="text/html"';
      checkFields(await send(keyed), { link: `${deprecation}, ${link()}` });
    },
  ),
];
