import { afterEach, describe } from "vitest";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { modes } from "../support/composed-backend.js";
import { createNodeHarness } from "../support/node-harness.js";

describe.each(modes)("the Node adapter with $mode", ({ createBackend }) => {
  const harness = createNodeHarness(createBackend);
  afterEach(harness.close);
  declareAdapterCases(harness);
});
