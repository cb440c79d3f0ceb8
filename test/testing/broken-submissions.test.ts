import { submissionsCases } from "async-request-reply/testing";
import { memorySubmissions } from "../support/memory-harnesses.js";
import { brokenSubmissions } from "./broken/index.js";
import { proveSuite } from "./broken/prove.js";

proveSuite("RECORD and purge", {
  cases: submissionsCases,
  harness: memorySubmissions,
  base: (backend) => backend,
  broken: brokenSubmissions,
});
