import { createMemoryBackend } from "async-request-reply";
import { createFetchHarness } from "../../adapters/fetch-harness.js";
import { runSuite } from "./run-suite.js";

// A line of JSON for each case. No `await` here: it is a CommonJS module as well.
void runSuite(createFetchHarness(createMemoryBackend), (result) => console.log(JSON.stringify(result)));
