// The process of one sample: `node bench/against/sample.mjs <plain | fetch | attempt>`. Sends the sample to its parent.

import { createForgetfulBackend } from "../backends/forgetful.mjs";
import { fetchHandler, plainHandler } from "../handlers.mjs";
import { sampleFunction } from "../measure.mjs";
import { attempts } from "./attempts.mjs";

const SAMPLE_MS = 1_000;

const subjects = {
  plain: () => plainHandler("plain", createForgetfulBackend),
  fetch: () => fetchHandler("fetch", createForgetfulBackend),
  attempt: attempts,
};

process.send(await sampleFunction(subjects[process.argv[2]](), SAMPLE_MS));
process.disconnect();
