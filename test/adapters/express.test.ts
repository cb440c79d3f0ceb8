import { createMemoryBackend } from "async-request-reply";
import { afterEach, describe } from "vitest";
import { adapterCases, requestCases } from "../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { effort } from "../support/effort.js";
import { expressVersions } from "../support/express-apps.js";
import { createNodeHarness } from "../support/node-harness.js";

// The adapter replies with that of Node, so `npm test` plays what is decided before, on the current version.
const versions = expressVersions.slice(0, effort(1, expressVersions.length));
const cases = effort(requestCases, adapterCases);

describe.each(versions)("the Express adapter on Express $version", ({ toListener }) => {
  const harness = createNodeHarness(createMemoryBackend, toListener);
  afterEach(harness.close);
  declareAdapterCases(harness, cases);
});
