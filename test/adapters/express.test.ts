import { createMemoryBackend } from "async-request-reply";
import { afterEach, describe } from "vitest";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { expressVersions } from "../support/express-apps.js";
import { createNodeHarness } from "../support/node-harness.js";

describe.each(expressVersions)("the Express adapter on Express $version", ({ toListener }) => {
  const harness = createNodeHarness(createMemoryBackend, toListener);
  afterEach(harness.close);
  declareAdapterCases(harness);
});
