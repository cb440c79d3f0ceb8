import { createMemoryBackend } from "async-request-reply";
import { describe } from "vitest";
import * as z from "zod";
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

describe("the error of a mistake in the paths of a service says what is wrong and what is expected", () => {
  testMistakes([
    [
      "two paths that match the same requests",
      'Two `definitions` match the same requests: "/{x}/a" of d0 and "/{y}/a" of d1. Give one of them a different fixed segment.',
      () => serve(["/{x}/a", "/{y}/a"]),
    ],
    [
      "two overlapping paths of which neither is more specific",
      'Two `definitions` match the same requests: "/a/{x}" of d0 and "/{y}/b" of d1. Give one of them a different fixed segment.',
      () => serve(["/a/{x}", "/{y}/b"]),
    ],
    [
      "a definition on the path of the status endpoint",
      'Option `definitions`: The definition d0 has the path "/operations", which belongs to the status endpoint. Change this path, or change `statusPath` from "/operations".',
      () => serve(["/operations"]),
    ],
    [
      "a definition below the path of the status endpoint",
      'Option `definitions`: The definition d0 has the path "/a/b/{x}", which belongs to the status endpoint. Change this path, or change `statusPath` from "/a/b".',
      () => serve(["/a/b/{x}"], { statusPath: "/a/b" }),
    ],
    [
      "a field that is not a whole segment",
      'Option `path` is "/a{x}", which has the segment "a{x}". A field is a whole segment, named like a variable: `/accounts/{accountId}`. Pass a path such as `/orders` or `/accounts/{accountId}/exports`.',
      () => serve(["/a{x}"]),
    ],
    [
      "a repeated field",
      'Option `path` is "/{x}/{x}", which has the field {x} more than once. Pass a path such as `/orders` or `/accounts/{accountId}/exports`.',
      () => serve(["/{x}/{x}"]),
    ],
    [
      "17 fields",
      `Option \`path\` is "${Array.from({ length: 17 }, (_each, index) => `/{f${index}}`).join("")}", which has 17 fields; at most 16 are allowed. Pass a path such as \`/orders\` or \`/accounts/{accountId}/exports\`.`,
      () => serve([Array.from({ length: 17 }, (_each, index) => `/{f${index}}`).join("")]),
    ],
    [
      "a status path with a field",
      'Option `statusPath` must be a path such as `/operations`, not "/{x}".',
      () => createOrderService({ authorize, statusPath: "/{x}" }),
    ],
    [
      "a problem base URI without a trailing delimiter",
      'Option `problemBaseUri` must be an absolute URI that ends with `/`, `#`, `:` or `=`, such as `https://example.com/problems/`, not "https://example.com/problems".',
      () => createOrderService({ authorize, problemBaseUri: "https://example.com/problems" }),
    ],
    [
      "a list option that is not a boolean",
      "Option `list` must be true or false, not 1.",
      () => createOrderService({ authorize, list: 1 }),
    ],
  ]);
});
