import { submissionsCases } from "async-request-reply/testing";
import { memorySubmissions } from "../backends/memory-harnesses.js";
import { proveSuite } from "./broken/prove.js";
import { purgingSubmissions, recordingSubmissions } from "./broken/submissions.js";

proveSuite("RECORD and purge", {
  cases: submissionsCases,
  harness: memorySubmissions,
  base: (submissions) => submissions,
  broken: [...recordingSubmissions, ...purgingSubmissions],
});
