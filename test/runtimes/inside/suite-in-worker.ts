import { createMemoryBackend } from "async-request-reply";
import { createFetchHarness } from "../../support/fetch-harness.js";
import { runSuite } from "./run-suite.js";

/** A Worker that runs the suite on every request and replies with one line of JSON per case. */
export default {
  fetch: async (): Promise<Response> => {
    const lines: string[] = [];
    await runSuite(createFetchHarness(createMemoryBackend), (result) => lines.push(JSON.stringify(result)));
    return new Response(lines.join("\n"));
  },
};
