import { runConformanceTests } from "@durable-streams/server-conformance-tests";

// The tests of the protocol for servers. They need the test runner that their package depends on, so they run in another process.
runConformanceTests({ baseUrl: process.env.CONFORMANCE_TEST_URL ?? "" });
