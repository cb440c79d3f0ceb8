import { runConformanceTests } from "@durable-streams/server-conformance-tests";

// The tests of the protocol for servers. They need the test runner that their package depends on, so they are a process of their own.
runConformanceTests({ baseUrl: process.env.CONFORMANCE_TEST_URL ?? "" });
