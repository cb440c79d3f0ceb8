import { createMemoryBackend } from "async-request-reply";
import { describe } from "vitest";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { createFetchHarness } from "../support/fetch-harness.js";

describe("the Fetch adapter", () => {
  declareAdapterCases(createFetchHarness(createMemoryBackend));
});
