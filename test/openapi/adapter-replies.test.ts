import { createMemoryBackend } from "async-request-reply";
import { afterEach, describe, expect, it } from "vitest";
import { declareAdapterCases } from "../adapters/declare-cases.js";
import { createNodeHarness } from "../adapters/node-harness.js";
import { createDocumentedHarness } from "./documented-harness.js";
import { createReplyCheck, UNDESCRIBED } from "./reply-check.js";

describe("a document of the service that answers", () => {
  const { check, coverage } = createReplyCheck();
  const harness = createNodeHarness(createMemoryBackend);
  afterEach(harness.close);

  describe("says what every reply shows", () => {
    declareAdapterCases(createDocumentedHarness(harness, check));
  });

  it("says nothing that no reply has shown", () => {
    expect([...coverage.possible].filter((fact) => !coverage.shown.has(fact)).sort()).toEqual([]);
  });

  it("is silent about replies that no document can describe, and about no others", () => {
    expect([...coverage.undescribed].sort()).toEqual(Object.keys(UNDESCRIBED).sort());
  });
});
