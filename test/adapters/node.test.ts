import { afterEach, describe } from "vitest";
import { modes } from "../composed-backend.js";
import { declareAdapterCases } from "./declare-cases.js";
import { createNodeHarness } from "./node-harness.js";

describe.each(modes)("the Node adapter with $mode", ({ createBackend }) => {
  const harness = createNodeHarness(createBackend);
  afterEach(harness.close);
  declareAdapterCases(harness);
});
