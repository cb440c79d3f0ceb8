import { queueCases } from "async-request-reply/testing";
import { describe } from "vitest";
import { declareRunFor } from "../support/run-for.js";
import { runSuite } from "../support/run-suite.js";
import { brokers } from "./brokers.js";
import { queueHarness, useBroker } from "./harnesses.js";

describe.each(brokers)("the queue on $name", (broker) => {
  runSuite("queue", queueCases, queueHarness(useBroker(broker)));
});

describe.each(brokers)("runFor with $name", (broker) => {
  declareRunFor(useBroker(broker).newBackend);
});
