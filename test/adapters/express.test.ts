import { createMemoryBackend } from "async-request-reply";
import { afterEach, describe } from "vitest";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { effort } from "../support/effort.js";
import { expressVersions } from "../support/express-apps.js";
import { createNodeHarness } from "../support/node-harness.js";

/** `npm test` plays the current version. */
const played = expressVersions.slice(0, effort(1, expressVersions.length));

describe.each(played)("the Express adapter on Express $version", ({ toListener }) => {
  const harness = createNodeHarness(createMemoryBackend, toListener);
  afterEach(harness.close);
  declareAdapterCases(harness);
});
