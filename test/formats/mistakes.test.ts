import { describe } from "vitest";
import { testMistakes, untyped } from "../support/untyped.js";

const { createYangFormats } = untyped;

describe("a mistake in formats gets a message that says what is wrong, what is expected and what to do", () => {
  testMistakes([
    [
      "no YANG module",
      "Option `module` must be a YANG identifier, such as `order-submission`, not undefined.",
      () => createYangFormats({ namespace: "urn:a" }),
    ],
    [
      "no YANG namespace",
      "Option `namespace` must be a URI, such as `urn:example:orders`, not undefined.",
      () => createYangFormats({ module: "a" }),
    ],
  ]);
});
