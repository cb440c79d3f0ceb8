import { describe } from "vitest";
import * as z from "zod";
import { testMistakes, untyped } from "../support/untyped.js";

const { defineOperation, defineOrders } = untyped;
const URGENCY = "a whole number from 0, which begins first, to 7";
const NAME = "1 to 100 characters of `A-Za-z0-9._-`, starting with a letter or digit, such as `orders`";
const VALIDATOR = "a Standard Schema validator, such as a schema of zod, valibot or arktype";
const JSON_SCHEMA =
  "is a JSON Schema, which cannot validate by itself. Pass a Standard Schema validator: with zod `z.fromJSONSchema(schema)`, or a schema such as `z.strictObject({ quantity: z.int() })`.";
const input = z.object({});
const jsonSchema = { type: "object", properties: { quantity: { type: "integer" } } };
const define = (change: object): unknown => defineOperation({ name: "one", path: "/one", input, ...change });

describe("a mistake in a definition says what is wrong, what is expected and what to do", () => {
  testMistakes([
    [
      "a name with a space",
      `Option \`name\` must be ${NAME}, not "Bad Name".`,
      () => define({ name: "Bad Name" }),
    ],
    ["no name", `Option \`name\` must be ${NAME}, not undefined.`, () => define({ name: undefined })],
    [
      "a root name that no element can have",
      'Option `rootName` must be a letter or `_`, then at most 99 of `A-Za-z0-9._-`, not "2 nd".',
      () => define({ rootName: "2 nd" }),
    ],
    [
      "a path without a slash",
      'Option `path` is "one", which does not begin with a slash. Pass a path such as `/orders` or `/accounts/{accountId}/exports`.',
      () => define({ path: "one" }),
    ],
    [
      "a path with a slash at its end",
      'Option `path` is "/one/", which ends with a slash. Pass a path such as `/orders` or `/accounts/{accountId}/exports`.',
      () => define({ path: "/one/" }),
    ],
    [
      "a path with an empty segment",
      'Option `path` is "/a//b", which has an empty segment. Pass a path such as `/orders` or `/accounts/{accountId}/exports`.',
      () => define({ path: "/a//b" }),
    ],
    [
      "a path with a space",
      'Option `path` is "/a b", which has the segment "a b". A segment has one or more characters of `A-Za-z0-9._~-`, or is a field. Pass a path such as `/orders` or `/accounts/{accountId}/exports`.',
      () => define({ path: "/a b" }),
    ],
    [
      "no path",
      "Option `path` must be a path such as `/orders`, not undefined.",
      () => define({ path: undefined }),
    ],
    ["a JSON Schema as validator", `Option \`input\` ${JSON_SCHEMA}`, () => define({ input: jsonSchema })],
    ["a JSON Schema as result", `Option \`result\` ${JSON_SCHEMA}`, () => define({ result: jsonSchema })],
    [
      "no validator",
      `Option \`input\` must be ${VALIDATOR}, not undefined.`,
      () => define({ input: undefined }),
    ],
    [
      "a validator of an unknown kind",
      `Option \`input\` must be ${VALIDATOR}, not a function.`,
      () => define({ input: () => true }),
    ],
    [
      "an invalid result schema",
      `Option \`result\` must be ${VALIDATOR}, not 1.`,
      () => define({ result: 1 }),
    ],
    [
      "an invalid JSON Schema",
      'Option `jsonSchema` must be a JSON Schema, which is an object, not "object".',
      () => define({ jsonSchema: "object" }),
    ],
    [
      "an unknown idempotencyKey",
      'Option `idempotencyKey` must be `optional` or `required`, not "never".',
      () => defineOrders({ idempotencyKey: "never" }),
    ],
    ...[input, z.strictObject({ other: z.string() })].map(
      (schema) =>
        [
          `a path field that the input schema ${schema === input ? "drops" : "refuses"}`,
          'Option `path` is "/one/{account}", but the input schema has no member for its field {account}. Add a required member `account` to the schema, or remove the field from the path.',
          () => define({ path: "/one/{account}", input: schema }),
        ] as const,
    ),
    [
      "a cancellable that is not a boolean",
      'Option `cancellable` must be true or false, not "yes".',
      () => defineOrders({ cancellable: "yes" }),
    ],
    [
      "a create, which belongs to the service",
      "Unknown option `create` of defineOperation. Known options: name, rootName, path, input, result, progress, jsonSchema, idempotencyKey, cancellable, retentionMs, failedRetentionMs, startWithinMs, limits, serialBy, urgency, clientUrgency, deprecated.",
      () => define({ create: () => ({ body: {} }) }),
    ],
    ...[9, -1, 1.5, Number.NaN, "3", null].map(
      (urgency) =>
        [
          `the urgency ${urgency} (${typeof urgency})`,
          `Option \`urgency\` must be ${URGENCY}, not ${typeof urgency === "string" ? '"3"' : urgency}.`,
          () => define({ urgency }),
        ] as const,
    ),
    [
      "a range of urgencies that is a word",
      'Option `clientUrgency` must be an object, not "client".',
      () => define({ clientUrgency: "client" }),
    ],
    [
      "a range of urgencies without its end",
      `Option \`clientUrgency.to\` must be ${URGENCY}, not undefined.`,
      () => define({ clientUrgency: { from: 0 } }),
    ],
    [
      "a range of urgencies from a text",
      `Option \`clientUrgency.from\` must be ${URGENCY}, not "0".`,
      () => define({ clientUrgency: { from: "0", to: 7 } }),
    ],
    [
      "a range of urgencies that ends before it begins",
      "Option `clientUrgency.to` must be at least `clientUrgency.from`, 7, not 0.",
      () => define({ clientUrgency: { from: 7, to: 0 } }),
    ],
    [
      "a range of urgencies with an unknown member",
      "Unknown option `clientUrgency.form` of defineOperation. Did you mean `clientUrgency.from`? Known options: clientUrgency.from, clientUrgency.to.",
      () => define({ clientUrgency: { form: 0, to: 7 } }),
    ],
    [
      "a range of urgencies without the usual one",
      "Option `clientUrgency` is 4 to 7, which does not contain the `urgency` of requests that choose none, 3. Widen it, or change `urgency`.",
      () => defineOrders({ clientUrgency: { from: 4, to: 7 } }),
    ],
    [
      "a deprecation that is a date",
      'Option `deprecated` must be an object, not "2026-01-01".',
      () => defineOrders({ deprecated: "2026-01-01" }),
    ],
    [
      "a deprecation without a date",
      'Option `deprecated.since` must be a valid Date, not "2026-01-01".',
      () => defineOrders({ deprecated: { since: "2026-01-01" } }),
    ],
    [
      "a sunset before the deprecation",
      'Option `deprecated.sunset` must be a Date that is not before `since`, not "1970-01-01T00:00:00.000Z".',
      () => defineOrders({ deprecated: { since: new Date(1), sunset: new Date(0) } }),
    ],
    [
      "a relative link",
      'Option `deprecated.link` must be an absolute URL such as `https://example.com/changes`, not "/changes".',
      () => defineOrders({ deprecated: { since: new Date(1), link: "/changes" } }),
    ],
  ]);
});
