import { describe, expect, it } from "vitest";
import * as z from "zod";
import { testMistakes, untyped } from "../support/untyped.js";
import { inOption } from "./option-mistakes.js";

const { defineOperation, defineOrders } = untyped;
const URGENCY = "must be a whole number from 0, which begins first, to 7";
const NAME = "1 to 100 characters of `A-Za-z0-9._-`, starting with a letter or digit, such as `orders`";
const ROOT_NAME = "a letter or `_`, then at most 99 of `A-Za-z0-9._-`";
const PATH = "Pass a path such as `/orders` or `/accounts/{accountId}/exports`.";
const SUNSET = "a Date that is not before `since`";
const LIMIT = "a whole number from 1 to 1000000, or absent for no limit";
const INVALID_DATE = 'must be a valid Date, not "Invalid Date".';
const INVALID = new Date(Number.NaN);
const VALIDATOR = "a Standard Schema validator, such as a schema of zod, valibot or arktype";
const JSON_SCHEMA =
  "is a JSON Schema, which cannot validate by itself. Pass a Standard Schema validator: with zod `z.fromJSONSchema(schema)`, or a schema such as `z.strictObject({ quantity: z.int() })`.";
const input = z.object({});
const jsonSchema = { type: "object", properties: { quantity: { type: "integer" } } };
const define = (change: object): unknown => defineOperation({ name: "one", path: "/one", input, ...change });

describe("a mistake in a definition says what is wrong, what is expected and what to do", () => {
  testMistakes([
    ...inOption(define, [
      ["a name with a space", { name: "Bad Name" }, `must be ${NAME}, not "Bad Name".`],
      ["no name", { name: undefined }, `must be ${NAME}, not undefined.`],
      ["a root name that no element can have", { rootName: "2 nd" }, `must be ${ROOT_NAME}, not "2 nd".`],
      ["a path without a slash", { path: "one" }, `is "one", which does not begin with a slash. ${PATH}`],
      ["a path with a slash at its end", { path: "/one/" }, `is "/one/", which ends with a slash. ${PATH}`],
      ["a path with an empty segment", { path: "/a//b" }, `is "/a//b", which has an empty segment. ${PATH}`],
      [
        "a path with a space",
        { path: "/a b" },
        `is "/a b", which has the segment "a b". A segment has one or more characters of \`A-Za-z0-9._~-\`, or is a field. ${PATH}`,
      ],
      ["no path", { path: undefined }, "must be a path such as `/orders`, not undefined."],
      ["a JSON Schema as validator", { input: jsonSchema }, JSON_SCHEMA],
      ["a JSON Schema as result", { result: jsonSchema }, JSON_SCHEMA],
      ["no validator", { input: undefined }, `must be ${VALIDATOR}, not undefined.`],
      ["a validator of an unknown kind", { input: () => true }, `must be ${VALIDATOR}, not a function.`],
      ["an invalid result schema", { result: 1 }, `must be ${VALIDATOR}, not 1.`],
      [
        "an invalid JSON Schema",
        { jsonSchema: "object" },
        'must be a JSON Schema, which is an object, not "object".',
      ],
      ...[input, z.strictObject({ other: z.string() })].map(
        (schema) =>
          [
            `a path field that the input schema ${schema === input ? "drops" : "refuses"}`,
            { path: "/one/{account}", input: schema },
            'is "/one/{account}", but the input schema has no member for its field {account}. Add a required member `account` to the schema, or remove the field from the path.',
          ] as const,
      ),
      ...[9, -1, 1.5, Number.NaN, "3", null].map(
        (urgency) =>
          [
            `the urgency ${urgency} (${typeof urgency})`,
            { urgency },
            `${URGENCY}, not ${typeof urgency === "string" ? '"3"' : urgency}.`,
          ] as const,
      ),
      ["a range of urgencies that is a word", { clientUrgency: "any" }, 'must be an object, not "any".'],
      ["a number instead of limits", { limits: 5 }, "must be an object, not 5."],
      ["a name instead of a function", { serialBy: "customer" }, 'must be a function, not "customer".'],
    ]),
    ...inOption(defineOrders, [
      ["an unknown idempotencyKey", { idempotencyKey: "no" }, 'must be `optional` or `required`, not "no".'],
      ["a cancellable that is not a boolean", { cancellable: "yes" }, 'must be true or false, not "yes".'],
      [
        "a range of urgencies without the usual one",
        { clientUrgency: { from: 4, to: 7 } },
        "is 4 to 7, which does not contain the `urgency` of requests that choose none, 3. Widen it, or change `urgency`.",
      ],
      ["a deprecation that is a date", { deprecated: "2026-01-01" }, 'must be an object, not "2026-01-01".'],
    ]),
    ...inOption(
      (clientUrgency) => define({ clientUrgency }),
      [
        ["a range of urgencies without its end", { to: undefined, from: 0 }, `${URGENCY}, not undefined.`],
        ["a range of urgencies from a text", { from: "0", to: 7 }, `${URGENCY}, not "0".`],
        [
          "a range of urgencies that ends before it begins",
          { to: 0, from: 7 },
          "must be at least `clientUrgency.from`, 7, not 0.",
        ],
      ],
      "clientUrgency.",
    ),
    ...inOption(
      (deprecated) => defineOrders({ deprecated }),
      [
        ["a deprecation without a date", { since: "2026-01-01" }, 'must be a valid Date, not "2026-01-01".'],
        ["a deprecation with an invalid date", { since: INVALID }, INVALID_DATE],
        ["a sunset that is invalid", { sunset: INVALID, since: new Date(1) }, INVALID_DATE],
        [
          "a sunset before the deprecation",
          { sunset: new Date(0), since: new Date(1) },
          `must be ${SUNSET}, not "1970-01-01T00:00:00.000Z".`,
        ],
        [
          "a relative link",
          { link: "/changes", since: new Date(1) },
          'must be an absolute URL such as `https://example.com/changes`, not "/changes".',
        ],
      ],
      "deprecated.",
    ),
    ...inOption(
      (limits) => define({ limits }),
      [
        ...[0, Number.NaN, 1.5, Number.POSITIVE_INFINITY, -1, 1_000_001].flatMap((value) =>
          ["running", "runningPerTenant", "pending", "pendingPerTenant"].map(
            (name) => [`${name}: ${value}`, { [name]: value }, `must be ${LIMIT}, not ${value}.`] as const,
          ),
        ),
        ["a limit as a text", { running: "5" }, `must be ${LIMIT}, not "5".`],
      ],
      "limits.",
    ),
    [
      "an unknown limit",
      "Unknown option `limits.perTenant` of defineOperation. Known options: limits.running, limits.runningPerTenant, limits.pending, limits.pendingPerTenant.",
      () => define({ limits: { perTenant: 1 } }),
    ],
    [
      "a create, which belongs to the service",
      "Unknown option `create` of defineOperation. Known options: name, rootName, path, input, result, progress, chunk, checkpoint, maxOutputBytes, jsonSchema, idempotencyKey, cancellable, retentionMs, failedRetentionMs, startWithinMs, limits, serialBy, urgency, clientUrgency, deprecated.",
      () => define({ create: () => ({ body: {} }) }),
    ],
    [
      "a range of urgencies with an unknown member",
      "Unknown option `clientUrgency.form` of defineOperation. Did you mean `clientUrgency.from`? Known options: clientUrgency.from, clientUrgency.to.",
      () => define({ clientUrgency: { form: 0, to: 7 } }),
    ],
  ]);
});

describe("a definition", () => {
  it("is a copy of its limits and dates that later changes do not affect", () => {
    const limits = { running: 1, runningPerTenant: 1_000_000 };
    const since = new Date("2026-11-01T00:00:00Z");
    const definition = define({ limits, deprecated: { since } });
    limits.running = 5;
    since.setFullYear(1999);
    expect(definition).toMatchObject({
      limits: { running: 1, runningPerTenant: 1_000_000 },
      deprecated: { since: new Date("2026-11-01T00:00:00Z") },
    });
  });

  it.each([[{}], [{ running: undefined }]])("has no limits if there is no limit: %o", (limits) => {
    expect(define({ limits })).not.toHaveProperty("limits");
  });

  it("is kept for 24 hours by default", () => {
    expect(define({})).toMatchObject({ retentionMs: 86_400_000 });
    expect(define({ retentionMs: 1 })).toMatchObject({ retentionMs: 1 });
  });
});
