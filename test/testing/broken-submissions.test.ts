import { submissionsCases } from "async-request-reply/testing";
import { memorySubmissions } from "../backends/memory-harnesses.js";
import { proveSuite } from "./broken/prove.js";
import { purgingSubmissions } from "./broken/purging-submissions.js";
import { recordingSubmissions } from "./broken/recording-submissions.js";

proveSuite("RECORD and purge", {
  cases: submissionsCases,
  harness: memorySubmissions,
  base: (submissions) => submissions,
  broken: [...recordingSubmissions, ...purgingSubmissions],
});
