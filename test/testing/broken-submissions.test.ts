import { submissionsCases } from "async-request-reply/testing";
import { memorySubmissions } from "../support/memory-harnesses.js";
import { jumpySubmissions } from "./broken/clock-jumps.js";
import { changingSubmissions } from "./broken/contents.js";
import { failedRetentionSubmissions } from "./broken/failed-retention-stores.js";
import { proveSuite } from "./broken/prove.js";
import { purgingSubmissions } from "./broken/purging-submissions.js";
import { recordingMany } from "./broken/recording-many.js";
import { recordingSubmissions } from "./broken/recording-submissions.js";
import { shortDurationSubmissions } from "./broken/short-durations.js";
import { tenantSubmissions } from "./broken/tenants.js";

proveSuite("RECORD and purge", {
  cases: submissionsCases,
  harness: memorySubmissions,
  base: (submissions) => submissions,
  broken: [
    ...recordingSubmissions,
    ...recordingMany,
    ...purgingSubmissions,
    ...failedRetentionSubmissions,
    ...tenantSubmissions,
    ...shortDurationSubmissions,
    ...jumpySubmissions,
    ...changingSubmissions,
  ],
});
