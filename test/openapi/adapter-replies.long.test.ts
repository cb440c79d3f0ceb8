import { createMemoryBackend } from "async-request-reply";
import { afterEach, describe, expect, it } from "vitest";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { createNodeHarness } from "../support/node-harness.js";
import { createDocumentedHarness } from "./documented-harness.js";
import { createReplyCheck, UNDESCRIBED } from "./reply-check.js";

describe("the document of a service under test", () => {
  const { check, coverage } = createReplyCheck();
  const harness = createNodeHarness(createMemoryBackend);
  afterEach(harness.close);

  describe("describes every reply", () => {
    declareAdapterCases(createDocumentedHarness(harness, check));
  });

  it("describes only what a reply has shown", () => {
    expect([...coverage.possible].filter((fact) => !coverage.shown.has(fact)).sort()).toEqual([]);
  });

  it("leaves out only the replies that no document can describe", () => {
    expect([...coverage.undescribed].sort()).toEqual(Object.keys(UNDESCRIBED).sort());
  });
});
