import { createMemoryBackend } from "async-request-reply";
import { createNodeHarness } from "../../adapters/node-harness.js";
import { runSuite } from "./run-suite.js";

const harness = createNodeHarness(createMemoryBackend);

// A line of JSON for each case. No `await` here: it is a CommonJS module as well.
void runSuite(harness, (result) => console.log(JSON.stringify(result))).then(harness.close);
