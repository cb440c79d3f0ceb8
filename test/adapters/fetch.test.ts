import { describe } from "vitest";
import { modes } from "../composed-backend.js";
import { declareAdapterCases } from "./declare-cases.js";
import { createFetchHarness } from "./fetch-harness.js";

describe.each(modes)("the Fetch adapter with $mode", ({ createBackend }) => {
  declareAdapterCases(createFetchHarness(createBackend));
});
