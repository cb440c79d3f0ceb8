import { createMemoryBackend } from "async-request-reply";
import { afterEach, describe } from "vitest";
import { declareAdapterCases } from "./declare-cases.js";
import { createComposedBackend, createNodeHarness } from "./node-harness.js";

describe.each([
  ["one step that records", createMemoryBackend],
  ["two stores, one after the other", createComposedBackend],
])("the Node adapter with %s", (_, createBackend) => {
  const harness = createNodeHarness(createBackend);
  afterEach(harness.close);
  declareAdapterCases(harness);
});
