import { createMemoryBackend } from "async-request-reply";
import { createNodeHarness } from "../../support/node-harness.js";
import { runSuite } from "./run-suite.js";

const harness = createNodeHarness(createMemoryBackend);

// Prints one line of JSON per case.
void runSuite(harness, (result) => console.log(JSON.stringify(result))).finally(() => harness.close());
