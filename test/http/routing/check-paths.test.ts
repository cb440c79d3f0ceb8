import { createMemoryBackend } from "async-request-reply";
import { describe } from "vitest";
import * as z from "zod";
import { inOption } from "../../contract/option-mistakes.js";
import { testMistakes, untyped } from "../../support/untyped.js";

const { createOrderService, createService, defineOperation } = untyped;
const authorize = (): undefined => undefined;
const input = z.object({}).loose();
const serve = (paths: readonly string[], options: object = {}): unknown =>
  createService({
    authorize,
    backend: createMemoryBackend(),
    definitions: paths.map((path, index) => defineOperation({ name: `d${index}`, path, input })),
    ...options,
  });
const createOrders = (options: object): unknown => createOrderService({ authorize, ...options });
const PATH = "Pass a path such as `/orders` or `/accounts/{accountId}/exports`.";
const SEGMENT =
  'has the segment "a{x}". A field is a whole segment, named like a variable: `/accounts/{accountId}`.';
const MANY = Array.from({ length: 17 }, (_each, index) => `/{f${index}}`).join("");

describe("the error of a mistake in the paths of a service says what is wrong and what is expected", () => {
  testMistakes([
    ...[
      ["two paths that match the same requests", "/{x}/a", "/{y}/a"],
      ["two overlapping paths of which neither is more specific", "/a/{x}", "/{y}/b"],
    ].map(
      ([mistake = "", one = "", two = ""]) =>
        [
          mistake,
          `Two \`definitions\` match the same requests: "${one}" of d0 and "${two}" of d1. Give one of them a different fixed segment.`,
          () => serve([one, two]),
        ] as const,
    ),
    ...[
      ["a definition on the path of the status endpoint", "/operations", "/operations"],
      ["a definition below the path of the status endpoint", "/a/b/{x}", "/a/b"],
    ].map(
      ([mistake = "", path = "", statusPath]) =>
        [
          mistake,
          `Option \`definitions\`: The definition d0 has the path "${path}", which belongs to the status endpoint. Change this path, or change \`statusPath\` from "${statusPath}".`,
          () => serve([path], { statusPath }),
        ] as const,
    ),
    ...inOption(
      (options) => serve(Object.values(options)),
      [
        ["a field that is not a whole segment", { path: "/a{x}" }, `is "/a{x}", which ${SEGMENT} ${PATH}`],
        [
          "a repeated field",
          { path: "/{x}/{x}" },
          `is "/{x}/{x}", which has the field {x} more than once. ${PATH}`,
        ],
        ["17 fields", { path: MANY }, `is "${MANY}", which has 17 fields; at most 16 are allowed. ${PATH}`],
      ],
    ),
    ...inOption(createOrders, [
      [
        "a status path with a field",
        { statusPath: "/{x}" },
        'must be a path such as `/operations`, not "/{x}".',
      ],
      [
        "a problem base URI without a trailing delimiter",
        { problemBaseUri: "https://example.com/problems" },
        'must be an absolute URI that ends with `/`, `#`, `:` or `=`, such as `https://example.com/problems/`, not "https://example.com/problems".',
      ],
      ["a list option that is not a boolean", { list: 1 }, "must be true or false, not 1."],
    ]),
  ]);
});
