import { forbidden } from "async-request-reply";
import { casesOf, replyCase } from "../fixtures/cases-of.js";
import { createGate } from "../fixtures/gate.js";
import {
  type Change,
  MANY_FIELDS,
  mountOrders,
  type Options,
  request,
  submission,
} from "../fixtures/orders-fixture.js";
import { checkFields, checkReply, checkStatus, operationIdOf } from "../fixtures/reply-checks.js";

const since = new Date("2026-11-01T00:00:00.500Z");
const sunset = new Date("2027-06-30T12:00:00Z");
const link = "https://example.com/orders v2";

const every: NonNullable<Options["deprecated"]> = { since, sunset, link };
const fields = {
  deprecation: "@1793491200",
  sunset: "Wed, 30 Jun 2027 12:00:00 GMT",
  link: '<https://example.com/orders%20v2>; rel="deprecation"; type="text/html"',
};
const none = { deprecation: undefined, sunset: undefined, link: undefined };

/** Replies of every kind from one path. */
const replies: readonly {
  readonly status: number;
  readonly to?: string;
  readonly change: Change;
  readonly options?: Options;
}[] = [
  { status: 201, change: {}, options: { create: () => ({ body: {} }) } },
  { status: 202, change: {} },
  { status: 204, change: { method: "OPTIONS" } },
  { status: 400, change: { body: "{" } },
  { status: 401, change: { fields: { authorization: undefined } } },
  { status: 403, change: {}, options: { authorize: () => Promise.reject(forbidden()) } },
  { status: 405, change: { method: "PUT" } },
  { status: 406, change: { fields: { accept: "text/html" } } },
  {
    status: 408,
    to: " to a body that does not arrive in time",
    change: { body: { chunks: ["{"], end: "stall" } },
    options: { bodyTimeoutMs: 20 },
  },
  { status: 413, change: {}, options: { maxBodyBytes: 1 } },
  { status: 415, change: { fields: { "content-type": "text/plain" } } },
  { status: 422, change: { body: "{}" } },
  { status: 429, change: {}, options: { admit: () => ({ status: 429, retryAfterSeconds: 1 }) } },
  { status: 500, change: {}, options: { admit: () => Promise.reject(new TypeError("no counters")) } },
  { status: 503, change: {}, options: { admit: () => ({ status: 503, retryAfterSeconds: 1 }) } },
];

/** Header fields of a deprecated definition. */
export const deprecationCases = [
  ...replies.map(({ status, to = "", change, options }) =>
    replyCase({
      name: `sends Deprecation, Sunset and a link to documentation in a ${status}${to}`,
      rule: "RFC 9745 §2, RFC 8594 §3",
      options: { ...options, deprecated: every },
      request: submission(change),
      status,
      fields,
    }),
  ),
  ...casesOf({
    "RFC 9745 §2": {
      "sends the deprecation fields to a submission that waited for the end of its work": async (harness) => {
        const { send, work } = await mountOrders(harness, { deprecated: every });
        const keyed = { "idempotency-key": "k" };
        await send(submission({ fields: keyed }));
        await work();
        const reply = await send(submission({ fields: { ...keyed, prefer: "wait=20" } }));
        checkReply(reply, 200, fields);
      },
      "sends the deprecation fields to a duplicate that has to wait for the creation": async (harness) => {
        const gate = createGate();
        const create: NonNullable<Options["create"]> = async () => {
          await gate.pass();
          return { body: {} };
        };
        const { send } = await mountOrders(harness, { create, deprecated: every });
        const keyed = submission({ fields: { "idempotency-key": "k" } });
        const first = send(keyed);
        await gate.reached;
        checkReply(await send(keyed), 409, fields);
        gate.open();
        checkStatus(await first, 201);
      },
      "sends only Deprecation if the definition sets no sunset and no link": async (harness) => {
        const { send } = await mountOrders(harness, { deprecated: { since } });
        checkFields(await send(submission()), { ...none, deprecation: fields.deprecation });
      },
      "sends no deprecation fields from the status endpoint or for current definitions": async (harness) => {
        const { send } = await mountOrders(harness, { deprecated: every });
        const id = operationIdOf(await send(submission()));
        checkFields(await send(request("GET", `/operations/${id}`)), none);
        const current = await mountOrders(harness);
        checkFields(await current.send(submission()), none);
      },
    },
  }),
  ...casesOf(
    {
      "RFC 9745 §2": {
        "sends the deprecation fields to a request with too many header fields": async (harness) => {
          const { send } = await mountOrders(harness, { deprecated: every });
          const { headers, ...rest } = submission();
          checkReply(await send({ ...rest, headers: [...headers, ...MANY_FIELDS] }), 431, fields);
        },
      },
    },
    ["manyFields"],
  ),
];
