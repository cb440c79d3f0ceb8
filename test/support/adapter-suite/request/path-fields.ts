import { defineOperation } from "async-request-reply";
import * as z from "zod/mini";
import { deepEqual } from "../../../../src/testing/expect.js";
import type { AdapterCase, WireRequest } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { exportOf, mountExports } from "../fixtures/exports-fixture.js";
import { submission } from "../fixtures/orders-fixture.js";
import { checkProblem, REFUSED_KEY } from "../fixtures/refusal.js";
import { checkFields, checkStatus, jsonOf, operationIdOf } from "../fixtures/reply-checks.js";

const keyed = { "idempotency-key": REFUSED_KEY };
const RULE = "docs/contract.md, path fields";

/** Valid submissions and the input that each one records. */
const accepted: readonly (readonly [what: string, request: WireRequest, input: string])[] = [
  [
    "fields with the types that the schema gives them",
    exportOf("a1", "2026", { body: '{"format":"csv"}' }),
    '{"accountId":"a1","format":"csv","year":2026}',
  ],
  ["an empty object as the body", exportOf("7", "2026"), '{"accountId":"7","year":2026}'],
  [
    "percent-encoded text, including slashes",
    exportOf("a%2Fb%20%C3%BC%25", "-2"),
    '{"accountId":"a/b ü%","year":-2}',
  ],
  [
    "every character that a segment may hold unencoded",
    exportOf("a+b;c=d:@!$&'()*,", "1e3"),
    `{"accountId":"a+b;c=d:@!$&'()*,","year":1000}`,
  ],
  [
    "a body that repeats the fields with equal values",
    exportOf("a1", "2026", { body: '{"year":2.026e3,"accountId":"a1"}' }),
    '{"accountId":"a1","year":2026}',
  ],
];

/** Submissions refused with 422, and the location of the mistake. */
const refused: readonly (readonly [what: string, request: WireRequest, pointers: readonly string[]])[] = [
  ["text instead of a number", exportOf("a1", "last"), ["#/year"]],
  ["a number in a spelling that JSON does not allow", exportOf("a1", "0x10"), ["#/year"]],
  ["a fraction instead of an integer", exportOf("a1", "1.5"), ["#/year"]],
  ["a number that cannot be kept exactly", exportOf("a1", "9007199254740993"), ["#/year"]],
  [
    "a body whose values differ from the path",
    exportOf("a1", "2026", { body: '{"accountId":"a2","year":2025}' }),
    ["#/accountId", "#/year"],
  ],
  ["a body with a value of another type", exportOf("a1", "2026", { body: '{"year":"2026"}' }), ["#/year"]],
  ["a body that is not an object", exportOf("a1", "2026", { body: "[]" }), ["#"]],
  ["a body with an unknown member", exportOf("a1", "2026", { body: '{"Year":2026}' }), ["#/Year"]],
];

/** Segments that match no field, so the service has no such path. */
const unmatched = ["", ".", "..", "%2e", "%2E.", "%", "%zz", "%ff", "%C3", "a/b"];

/** Fields in the paths of definitions. */
export const pathFieldCases = [
  ...accepted.map(
    ([what, request, input]): AdapterCase => ({
      name: `accepts ${what}`,
      rule: RULE,
      run: async (harness) => {
        const { send, recorded } = await mountExports(harness);
        checkStatus(await send(request), 202);
        const inputs = (await recorded()).map((operation) => operation.input);
        deepEqual(inputs, [input], "recorded operations");
      },
    }),
  ),
  ...refused.map(
    ([what, request, pointers]): AdapterCase => ({
      name: `points to the member in a 422 for ${what}`,
      rule: RULE,
      run: async (harness) => {
        const { send, recorded } = await mountExports(harness);
        const headers: WireRequest["headers"] = [...request.headers, ["idempotency-key", REFUSED_KEY]];
        const reply = await send({ ...request, headers });
        checkProblem(reply, 422, "contract-violation");
        const errors = jsonOf(reply).errors as readonly { readonly pointer: string }[];
        deepEqual(errors.map(({ pointer }) => pointer).sort(), pointers, "locations of the mistakes");
        deepEqual(await recorded(), [], "recorded operations");
        checkStatus(await send(exportOf("other", "1", { fields: keyed })), 202);
      },
    }),
  ),
  ...casesOf({
    [RULE]: {
      "reports that a number in the path cannot be kept exactly": async (harness) => {
        const { send } = await mountExports(harness);
        const { errors } = jsonOf(await send(exportOf("a1", "9007199254740993")));
        const expected = [{ pointer: "#/year", detail: "is a number that cannot be kept exactly" }];
        deepEqual(errors, expected, "the mistake");
      },
      "checks the values of fields only after authorization": async (harness) => {
        const { send } = await mountExports(harness);
        const reply = await send(exportOf("a1", "last", { fields: { authorization: undefined } }));
        checkProblem(reply, 401, "unauthenticated");
      },
      "prefers fixed segments to fields in any position": async (harness) => {
        const paths = ["/a/b/c", "/a/{x}/{y}", "/a/{x}/c", "/{x}/b/{y}/d", "/operations/all/{x}"];
        const definitions = paths.map((path, index) =>
          defineOperation({ name: `d${index}`, path, input: z.looseObject({}) }),
        );
        const { send, recorded } = await mountExports(harness, {}, definitions);
        const sent = ["/a/b/c", "/a/z/c", "/a/b/z", "/a/b/c/d", "/operations/all/z"];
        for (const path of sent) checkStatus(await send(submission({ path, body: "{}" })), 202);
        const found = (await recorded()).map(({ definition, input }) => `${definition} ${input}`).sort();
        const own = ["d0 {}", 'd1 {"x":"b","y":"z"}', 'd2 {"x":"z"}', 'd3 {"x":"a","y":"c"}', 'd4 {"x":"z"}'];
        deepEqual(found, own, "recorded operations");
        for (const path of ["/a/b", "/a/b/c/", "/b/b/c", "/a//c"])
          checkProblem(await send(submission({ path, body: "{}" })), 404, "not-found");
      },
    },
    "RFC 3986 §3.3": {
      "answers 404 to a field that is empty, a dot segment or malformed encoding": async (harness) => {
        const { send, recorded } = await mountExports(harness);
        for (const segment of unmatched)
          checkProblem(await send(exportOf(segment, "2026")), 404, "not-found");
        deepEqual(await recorded(), [], "recorded operations");
      },
    },
    "docs/security.md, authorization": {
      "passes the field values to authorize and admit as text": async (harness) => {
        const asked: unknown[] = [];
        const { send } = await mountExports(harness, {
          authorize: (_, authorization) => {
            asked.push(authorization);
            return { id: "a" };
          },
          admit: (_, __, authorization) => {
            asked.push(authorization);
            return undefined;
          },
        });
        await send(exportOf("a%2Fb", "last"));
        const params = { accountId: "a/b", year: "last" };
        const about = { action: "submit", definition: "exports", params };
        deepEqual(asked, [about, about], "arguments of the hooks");
      },
    },
    "draft-ietf-httpapi-idempotency-key-header-07 §2.7": {
      "treats the path as part of the request that a key identifies, however it is encoded": async (
        harness,
      ) => {
        const { send, recorded } = await mountExports(harness);
        const fields = { "idempotency-key": "k" };
        const operationId = operationIdOf(await send(exportOf("a1", "2026", { fields })));
        checkProblem(await send(exportOf("a2", "2026", { fields })), 422, "idempotency-key-reused");
        const named = { fields, body: '{"accountId":"a2"}' };
        checkProblem(await send(exportOf("a2", "2026", named)), 422, "idempotency-key-reused");
        const again = await send(exportOf("%611", "2026.0", { fields }));
        deepEqual(operationIdOf(again), operationId, "the operation");
        checkFields(again, { "idempotent-replayed": "true" });
        deepEqual((await recorded()).length, 1, "the number of operations");
      },
    },
  }),
];
