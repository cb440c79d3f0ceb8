import { type Authorize, bearer, forbidden, permanentFailure, unauthenticated } from "async-request-reply";
import { deepEqual, equal } from "../../../../src/testing/expect.js";
import { TENANTS } from "../../../../src/testing/suites/tenants.js";
import type { AdapterCase, WireRequest } from "../fixtures/adapter-case.js";
import { casesOf, replyCase } from "../fixtures/cases-of.js";
import {
  MANY_FIELDS,
  mountOrders,
  request,
  submission,
  TOKENS,
  UNKNOWN,
} from "../fixtures/orders-fixture.js";
import { checkProblem, REFUSED_KEY, type Refusal, refusalCase } from "../fixtures/refusal.js";
import { checkFields, checkStatus, operationIdOf, WHOLE_SECONDS } from "../fixtures/reply-checks.js";

const keyed = { "idempotency-key": REFUSED_KEY };
const neverAnswers = new Promise<never>(() => {});
const UNAUTHENTICATED = {
  reply: [401, "unauthenticated"],
  fields: { "www-authenticate": /^[A-Za-z]+/ },
} as const;

const UNAVAILABLE = {
  reply: [503, "authorization-unavailable"],
  fields: { "retry-after": WHOLE_SECONDS, "www-authenticate": undefined },
} as const;

/** Hooks that do not clearly allow a request, and the reply that each one causes. */
const denials: readonly (Pick<Refusal, "reply" | "fields"> & {
  readonly hook: string;
  readonly authorize: Authorize;
})[] = [
  ...[
    { hook: "returns nothing", authorize: () => undefined },
    { hook: "resolves to null", authorize: async () => null },
    { hook: "throws unauthenticated()", authorize: () => raise(unauthenticated()) },
    { hook: "rejects with unauthenticated()", authorize: () => Promise.reject(unauthenticated()) },
  ].map((denial) => ({ ...denial, ...UNAUTHENTICATED })),
  ...[
    { hook: "throws", authorize: () => raise(new Error("SELECT token FROM tokens")) },
    { hook: "throws undefined", authorize: () => raise(undefined) },
    { hook: "throws null", authorize: () => raise(null) },
    { hook: "rejects", authorize: () => Promise.reject(new Error("ECONNREFUSED 10.0.0.7:5432")) },
    { hook: "throws an error of another code", authorize: () => raise(permanentFailure("no")) },
    { hook: "returns true", authorize: () => true as never },
    { hook: "returns false", authorize: () => false as never },
    { hook: "returns a string", authorize: () => "a" as never },
    { hook: "returns a principal without an id", authorize: () => ({}) as never },
    { hook: "returns a principal whose id is empty", authorize: () => ({ id: "" }) },
    { hook: "returns a principal whose id is a number", authorize: () => ({ id: 7 }) as never },
    { hook: "returns a principal whose tenant is empty", authorize: () => ({ id: "a", tenant: "" }) },
    {
      hook: "returns a principal whose tenant is null",
      authorize: () => ({ id: "a", tenant: null }) as never,
    },
    ...[
      { which: "is 256 characters long", tenant: "a".repeat(256) },
      { which: "contains NUL", tenant: "a\u0000b" },
      { which: "contains a lone surrogate", tenant: "a\ud800" },
    ].flatMap(({ which, tenant }) => [
      { hook: `returns a principal whose tenant ${which}`, authorize: () => ({ id: "a", tenant }) },
      { hook: `returns a principal whose id ${which}`, authorize: async () => ({ id: tenant }) },
    ]),
    { hook: "never settles", authorize: () => neverAnswers },
  ].map((denial) => ({ ...denial, ...UNAVAILABLE })),
  {
    hook: "throws forbidden()",
    authorize: () => raise(forbidden()),
    reply: [403, "forbidden"],
    fields: { "www-authenticate": undefined },
  },
  {
    hook: "rejects with forbidden()",
    authorize: () => Promise.reject(forbidden()),
    reply: [403, "forbidden"],
  },
];

const requests: readonly { readonly what: string; readonly to: string; readonly asked: WireRequest }[] = [
  { what: "a submission", to: "", asked: submission({ fields: keyed }) },
  { what: "to show an operation", to: " to GET", asked: request("GET", UNKNOWN) },
  { what: "to cancel an operation", to: " to DELETE", asked: request("DELETE", UNKNOWN) },
];

const refusals: readonly Refusal[] = [
  ...requests.flatMap(({ what, to, asked }): Refusal[] => [
    ...denials.map(({ hook, authorize, ...refusal }) => ({
      ...refusal,
      name: `refuses ${what} when authorize ${hook}`,
      rule: "spec §5",
      options: { cancellable: true, authorize, authorizeTimeoutMs: 20 },
      request: asked,
    })),
    {
      name: `answers 429 with Retry-After${to} when admit refuses a request`,
      rule: "RFC 6585 §4",
      options: { cancellable: true, admit: () => ({ status: 429, retryAfterSeconds: 7 }) },
      request: asked,
      reply: [429, "too-many-requests"],
      fields: { "retry-after": "7" },
    },
    {
      name: `answers 503 with Retry-After${to} when admit is temporarily unavailable`,
      rule: "RFC 9110 §15.6.4",
      options: { cancellable: true, admit: async () => ({ status: 503, retryAfterSeconds: 3 }) },
      request: asked,
      reply: [503, "unavailable"],
      fields: { "retry-after": "3" },
    },
  ]),
  ...[
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Basic dXNlcjpwYXNz",
    "Bearer wrong",
    "token-of-a",
    "Bearer a b",
  ].map(
    (authorization): Refusal => ({
      name: `challenges a request whose Authorization is ${JSON.stringify(authorization)}`,
      rule: "RFC 9110 §11.6.1",
      request: submission({ fields: { ...keyed, authorization } }),
      ...UNAUTHENTICATED,
    }),
  ),
  {
    name: "refuses a repeated Authorization, even if one of its lines is valid",
    rule: "RFC 9110 §5.3",
    needs: ["fieldLines"],
    request: submission({ fields: { ...keyed, authorization: ["Bearer token-of-a", "Bearer token-of-b"] } }),
    reply: [400, "malformed-request"],
  },
  {
    name: "rounds the seconds from admit up to a whole number",
    rule: "RFC 9110 §10.2.3",
    options: { admit: () => ({ status: 429, retryAfterSeconds: 0.25 }) },
    request: submission({ fields: keyed }),
    reply: [429, "too-many-requests"],
    fields: { "retry-after": "1" },
  },
];

/** Access is never granted by accident, and no body is read before it is granted. */
export const authorizationCases = [
  ...refusals.map(refusalCase),
  ...[
    { who: "authorize", options: { authorize: () => undefined }, status: 401 },
    { who: "admit", options: { admit: () => ({ status: 429, retryAfterSeconds: 1 }) as const }, status: 429 },
  ].map(({ who, ...refusal }) =>
    replyCase({
      ...refusal,
      name: `answers a refusal by ${who} before the body has arrived`,
      rule: "docs/security.md, authorization",
      request: submission({ body: { chunks: ['{"itemId":'], end: "stall" } }),
    }),
  ),
  ...[
    { asked: submission(), hidden: ["Idempotency-Key", "k"] as const },
    ...requests.map(({ asked }) => ({ asked, hidden: ["Authorization", "Bearer token-of-b"] as const })),
  ].map(
    ({ asked, hidden }): AdapterCase => ({
      name: `answers 431 to ${asked.method} instead of missing an ${hidden[0]} behind 1,100 other fields`,
      rule: "RFC 6585 §5",
      needs: ["manyFields"],
      run: async (harness) => {
        let calls = 0;
        const authorize: Authorize = () => {
          calls += 1;
          return { id: "a" };
        };
        const { send, recorded } = await mountOrders(harness, { authorize, cancellable: true });
        const reply = await send({ ...asked, headers: [...asked.headers, ...MANY_FIELDS, hidden] });
        checkProblem(reply, 431, "too-many-header-fields");
        equal(calls, 0, "number of calls to authorize");
        deepEqual(await recorded(), [], "recorded operations");
      },
    }),
  ),
  ...casesOf({
    "docs/security.md, authorization": {
      "authorizes a repeated request again, although its key is known": async (harness) => {
        const { send } = await mountOrders(harness);
        checkStatus(await send(submission({ fields: { "idempotency-key": "k" } })), 202);
        const again = submission({ fields: { "idempotency-key": "k", authorization: undefined } });
        checkProblem(await send(again), 401, "unauthenticated");
      },
      "calls authorize and admit once per request, with the details of the request": async (harness) => {
        const asked: unknown[] = [];
        const known = bearer(TOKENS);
        const { send, recorded } = await mountOrders(harness, {
          cancellable: true,
          authorize: (asking, authorization) => {
            asked.push(["authorize", asking.method, asking.header("authorization"), authorization]);
            return known(asking, authorization);
          },
          admit: (asking, principal, authorization) => {
            asked.push(["admit", asking.method, principal.id, authorization]);
            return undefined;
          },
        });
        await send(submission());
        const [operation] = await recorded();
        for (const method of ["GET", "DELETE"]) await send(request(method, `/operations/${operation?.id}`));
        const submit = { action: "submit", definition: "orders", params: {} };
        const expected = [
          ["POST", submit],
          ["GET", { action: "read", params: {} }],
          ["DELETE", { action: "cancel", params: {} }],
        ].flatMap(([method, authorization]) => [
          ["authorize", method, "Bearer token-of-a", authorization],
          ["admit", method, "a", authorization],
        ]);
        deepEqual(asked, expected, "arguments of the hooks");
      },
    },
    "docs/security.md, tenants": {
      "accepts tenants of up to 255 UTF-16 code units and never confuses two of them": async (harness) => {
        const authorize: Authorize = ({ header }) => ({
          id: "a",
          tenant: TENANTS[Number(header("authorization"))] ?? "",
        });
        const { send } = await mountOrders(harness, { authorize });
        let before = UNKNOWN;
        for (const index of TENANTS.keys()) {
          const authorization = String(index);
          const accepted = await send(submission({ fields: { "idempotency-key": "k", authorization } }));
          checkFields(accepted, { "idempotent-replayed": undefined });
          const own = `/operations/${operationIdOf(accepted)}`;
          checkStatus(await send(request("GET", own, { authorization })), 200);
          checkStatus(await send(request("GET", before, { authorization })), 404);
          before = own;
        }
      },
    },
    "RFC 9110 §11.6.1": {
      "sends the challenge of the hook that denied the request": async (harness) => {
        const authorize: Authorize = Object.assign(() => undefined, { challenge: 'DPoP algs="ES256"' });
        const { send } = await mountOrders(harness, { authorize });
        checkFields(await send(submission()), { "www-authenticate": 'DPoP algs="ES256"' });
      },
    },
  }),
];

function raise(error: unknown): never {
  throw error;
}
