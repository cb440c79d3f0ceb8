import { createMemoryBackend } from "async-request-reply";
import { afterEach, describe } from "vitest";
import { adapterCases, storeCases } from "../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { createComposedBackend } from "../support/composed-backend.js";
import { createNodeHarness } from "../support/node-harness.js";

describe.each([
  { stores: "one store", createBackend: createMemoryBackend, cases: adapterCases },
  { stores: "two separate stores", createBackend: createComposedBackend, cases: storeCases },
])("the Node adapter with $stores", ({ createBackend, cases }) => {
  const harness = createNodeHarness(createBackend);
  afterEach(harness.close);
  declareAdapterCases(harness, cases);
});
