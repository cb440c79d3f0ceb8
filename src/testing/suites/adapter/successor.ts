import { permanentFailure } from "../../../contract/errors.js";
import { deepEqual } from "../../expect.js";
import type { AdapterCase, AdapterHarness, WireResponse } from "./adapter-case.js";
import { mountOrders, type Options, type Orders, request, submission } from "./orders-fixture.js";
import { checkFields, checkStatus, field, operationIdOf } from "./reply-checks.js";

const SUCCESSOR = "01900000-0000-7000-8000-00000000abcd";
const link = (basePath = ""): string => `<${basePath}/operations/${SUCCESSOR}>; rel="successor-version"`;

const keyed = submission({ fields: { "idempotency-key": "k" } });
const read = (id: string, basePath = ""): ReturnType<typeof request> =>
  request("GET", `${basePath}/operations/${id}`);

/** Runs a failed operation again. */
type Redrive = (failed: string) => Promise<unknown>;

/** A store without `redrive` has no successors, so there is nothing to check on it. */
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
        Promise.resolve(operations.redrive?.(failed, { id: SUCCESSOR, onEndId })),
      );
    },
  };
}

const fail = ({ work }: Orders): Promise<void> => work(() => Promise.reject(permanentFailure("Sold out.")));

/** What a representation consists of, besides the link. */
function representation(reply: WireResponse): readonly unknown[] {
  return [reply.status, reply.body, field(reply, "etag"), field(reply, "content-type")];
}

/** Failed operations that were run again. */
export const successorCases: readonly AdapterCase[] = [
  successorCase(
    "links a failed operation to the one that runs it again, and changes nothing else",
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
      checkStatus(unchanged, 304);
      checkFields(unchanged, { link: link() });
      const successor = await send(read(SUCCESSOR));
      checkStatus(successor, 200);
      checkFields(successor, { link: undefined });
    },
  ),
  successorCase(
    "links to it also in the reply to a key that still replays the failure",
    {},
    async (orders, redrive) => {
      const { send } = orders;
      const id = operationIdOf(await send(keyed));
      await fail(orders);
      await redrive(id);
      const replay = await send(keyed);
      deepEqual(operationIdOf(replay), id, "the operation that is replayed");
      checkFields(replay, { link: link(), "idempotent-replayed": "true" });
    },
  ),
  successorCase(
    "puts the base path before the operation that it links to",
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
    "links to it also in the 201 of such a key",
    { create: () => ({ body: { made: true } }) },
    async (orders, redrive) => {
      const { send } = orders;
      const first = await send(keyed);
      checkFields(first, { link: undefined });
      await fail(orders);
      await redrive((field(first, "operation-location") ?? "").slice("/operations/".length));
      const replay = await send(keyed);
      checkStatus(replay, 201);
      checkFields(replay, { link: link() });
    },
  ),
  successorCase(
    "links to it beside the page about a deprecation",
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
