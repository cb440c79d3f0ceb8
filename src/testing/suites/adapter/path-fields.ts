import * as z from "zod/mini";
import { defineOperation } from "../../../contract/definition.js";
import { deepEqual } from "../../expect.js";
import type { AdapterCase, WireRequest } from "./adapter-case.js";
import { exportOf, mountExports } from "./exports-fixture.js";
import { submission } from "./orders-fixture.js";
import { checkProblem, REFUSED_KEY } from "./refusal.js";
import { checkFields, checkStatus, jsonOf, operationIdOf } from "./reply-checks.js";

const keyed = { "idempotency-key": REFUSED_KEY };
const RULE = "docs/contract.md, path fields";

/** Submissions that are accepted, and the input that is recorded of them. */
const accepted: readonly (readonly [what: string, request: WireRequest, input: string])[] = [
  [
    "fields, each with the type that the schema gives it",
    exportOf("a1", "2026", { body: '{"format":"csv"}' }),
    '{"accountId":"a1","format":"csv","year":2026}',
  ],
  ["an empty object as the body", exportOf("7", "2026"), '{"accountId":"7","year":2026}'],
  [
    "percent-encoded text, slashes included",
    exportOf("a%2Fb%20%C3%BC%25", "-2"),
    '{"accountId":"a/b ü%","year":-2}',
  ],
  [
    "all characters that a segment may hold as they stand",
    exportOf("a+b;c=d:@!$&'()*,", "1e3"),
    `{"accountId":"a+b;c=d:@!$&'()*,","year":1000}`,
  ],
  [
    "a body that repeats the fields with equal values",
    exportOf("a1", "2026", { body: '{"year":2.026e3,"accountId":"a1"}' }),
    '{"accountId":"a1","year":2026}',
  ],
];

/** Submissions that are refused with 422, and where they are wrong. */
const refused: readonly (readonly [what: string, request: WireRequest, pointers: readonly string[]])[] = [
  ["text where the schema wants a number", exportOf("a1", "last"), ["#/year"]],
  ["a number that is written otherwise than in JSON", exportOf("a1", "0x10"), ["#/year"]],
  ["a fraction where the schema wants an integer", exportOf("a1", "1.5"), ["#/year"]],
  ["a number that cannot be kept exactly", exportOf("a1", "9007199254740993"), ["#/year"]],
  [
    "a body that names other values than the path",
    exportOf("a1", "2026", { body: '{"accountId":"a2","year":2025}' }),
    ["#/accountId", "#/year"],
  ],
  [
    "a body that names a value of another type",
    exportOf("a1", "2026", { body: '{"year":"2026"}' }),
    ["#/year"],
  ],
  ["a body that is no object", exportOf("a1", "2026", { body: "[]" }), ["#"]],
  ["a body with an unknown member", exportOf("a1", "2026", { body: '{"Year":2026}' }), ["#/Year"]],
];

/** Segments that no field takes: the path is then none of the service's. */
const unmatched = ["", ".", "..", "%2e", "%2E.", "%", "%zz", "%ff", "%C3", "a/b"];

/** Fields in the paths of definitions. */
export const pathFieldCases: readonly AdapterCase[] = [
  ...accepted.map(
    ([what, request, input]): AdapterCase => ({
      name: `accepts ${what}`,
      rule: RULE,
      run: async (harness) => {
        const { send, recorded } = await mountExports(harness);
        checkStatus(await send(request), 202);
        deepEqual(
          (await recorded()).map((operation) => operation.input),
          [input],
          "what is recorded",
        );
      },
    }),
  ),
  ...refused.map(
    ([what, request, pointers]): AdapterCase => ({
      name: `answers 422 to ${what}, with a pointer to the member`,
      rule: RULE,
      run: async (harness) => {
        const { send, recorded } = await mountExports(harness);
        const headers: WireRequest["headers"] = [...request.headers, ["idempotency-key", REFUSED_KEY]];
        const reply = await send({ ...request, headers });
        checkProblem(reply, 422, "contract-violation");
        const errors = jsonOf(reply).errors as readonly { readonly pointer: string }[];
        deepEqual(errors.map(({ pointer }) => pointer).sort(), pointers, "where it is wrong");
        deepEqual(await recorded(), [], "what is recorded");
        checkStatus(await send(exportOf("other", "1", { fields: keyed })), 202);
      },
    }),
  ),
  {
    name: "tells that a number in the path cannot be kept exactly",
    rule: RULE,
    run: async (harness) => {
      const { send } = await mountExports(harness);
      const { errors } = jsonOf(await send(exportOf("a1", "9007199254740993")));
      const expected = [{ pointer: "#/year", detail: "is a number that cannot be kept exactly" }];
      deepEqual(errors, expected, "what is wrong");
    },
  },
  {
    name: "answers 404 where a field has no text, a dot segment or malformed encoding",
    rule: "RFC 3986 §3.3",
    run: async (harness) => {
      const { send, recorded } = await mountExports(harness);
      for (const segment of unmatched) checkProblem(await send(exportOf(segment, "2026")), 404, "not-found");
      deepEqual(await recorded(), [], "what is recorded");
    },
  },
  {
    name: "looks at the values of fields only after the request is authorized",
    rule: RULE,
    run: async (harness) => {
      const { send } = await mountExports(harness);
      const reply = await send(exportOf("a1", "last", { fields: { authorization: undefined } }));
      checkProblem(reply, 401, "unauthenticated");
    },
  },
  {
    name: "tells authorize and admit the texts of the fields",
    rule: "docs/security.md, authorization",
    run: async (harness) => {
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
      deepEqual(asked, [about, about], "what the hooks were asked");
    },
  },
  {
    name: "takes a key on another path for another request, and on the same path however it is encoded for the same",
    rule: "draft-ietf-httpapi-idempotency-key-header-07 §2.7",
    run: async (harness) => {
      const { send, recorded } = await mountExports(harness);
      const fields = { "idempotency-key": "k" };
      const operationId = operationIdOf(await send(exportOf("a1", "2026", { fields })));
      const other = await send(exportOf("a2", "2026", { fields }));
      checkProblem(other, 422, "idempotency-key-reused");
      const named = { fields, body: '{"accountId":"a2"}' };
      checkProblem(await send(exportOf("a2", "2026", named)), 422, "idempotency-key-reused");
      const again = await send(exportOf("%611", "2026.0", { fields }));
      deepEqual(operationIdOf(again), operationId, "the operation");
      checkFields(again, { "idempotent-replayed": "true" });
      deepEqual((await recorded()).length, 1, "the number of operations");
    },
  },
  {
    name: "prefers fixed segments to fields, wherever they stand",
    rule: RULE,
    run: async (harness) => {
      const paths = ["/a/b/c", "/a/{x}/{y}", "/a/{x}/c", "/{x}/b/{y}/d", "/operations/all/{x}"];
      const definitions = paths.map((path, index) =>
        defineOperation({ name: `d${index}`, path, input: z.looseObject({}) }),
      );
      const { send, recorded } = await mountExports(harness, {}, definitions);
      const sent = ["/a/b/c", "/a/z/c", "/a/b/z", "/a/b/c/d", "/operations/all/z"];
      for (const path of sent) checkStatus(await send(submission({ path, body: "{}" })), 202);
      const found = (await recorded()).map(({ definition, input }) => `${definition} ${input}`);
      deepEqual(
        found.sort(),
        ["d0 {}", 'd1 {"x":"b","y":"z"}', 'd2 {"x":"z"}', 'd3 {"x":"a","y":"c"}', 'd4 {"x":"z"}'],
        "what is recorded",
      );
      for (const path of ["/a/b", "/a/b/c/", "/b/b/c", "/a//c"])
        checkProblem(await send(submission({ path, body: "{}" })), 404, "not-found");
    },
  },
];
