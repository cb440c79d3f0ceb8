import type { AdapterCase } from "./adapter-case.js";
import { type Change, mountOrders, type Options, request, submission } from "./orders-fixture.js";
import { checkFields, checkStatus, operationIdOf } from "./reply-checks.js";

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

/** Replies of one path, of every kind. */
const replies: readonly { readonly status: number; readonly change: Change }[] = [
  { status: 202, change: {} },
  { status: 401, change: { fields: { authorization: undefined } } },
  { status: 422, change: { body: "{}" } },
  { status: 405, change: { method: "PUT" } },
  { status: 204, change: { method: "OPTIONS" } },
];

/** What a deprecated definition says of itself. */
export const deprecationCases: readonly AdapterCase[] = [
  ...replies.map(
    ({ status, change }): AdapterCase => ({
      name: `says in a ${status} that the definition is deprecated, until when, and where to read about it`,
      rule: "RFC 9745 §2, RFC 8594 §3",
      run: async (harness) => {
        const { send } = await mountOrders(harness, { deprecated: every });
        const reply = await send(submission(change));
        checkStatus(reply, status);
        checkFields(reply, fields);
      },
    }),
  ),
  {
    name: "sends Deprecation alone where the definition says nothing else",
    rule: "RFC 9745 §2",
    run: async (harness) => {
      const { send } = await mountOrders(harness, { deprecated: { since } });
      checkFields(await send(submission()), { ...none, deprecation: fields.deprecation });
    },
  },
  {
    name: "says nothing of the kind at the status endpoint, nor where nothing is deprecated",
    rule: "RFC 9745 §2",
    run: async (harness) => {
      const { send } = await mountOrders(harness, { deprecated: every });
      const id = operationIdOf(await send(submission()));
      checkFields(await send(request("GET", `/operations/${id}`)), none);
      const current = await mountOrders(harness);
      checkFields(await current.send(submission()), none);
    },
  },
];
