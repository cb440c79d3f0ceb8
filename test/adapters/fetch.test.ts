import { describe } from "vitest";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { modes } from "../support/composed-backend.js";
import { createFetchHarness } from "../support/fetch-harness.js";

describe.each(modes)("the Fetch adapter with $mode", ({ createBackend }) => {
  declareAdapterCases(createFetchHarness(createBackend));
});
