import { createMemoryBackend } from "async-request-reply";
import { createFetchHarness } from "../../support/fetch-harness.js";
import { runSuite } from "./run-suite.js";

// Prints one line of JSON per case.
await runSuite(createFetchHarness(createMemoryBackend), (result) => console.log(JSON.stringify(result)));
