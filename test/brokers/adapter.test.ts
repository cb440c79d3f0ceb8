import { createMemoryBackend, withQueue } from "async-request-reply";
import { afterEach, describe } from "vitest";
import { storeCases } from "../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { createNodeHarness } from "../support/node-harness.js";
import { newQueueName, useBroker } from "./harnesses.js";
import { nats } from "./nats.js";

// No reply depends on the broker that wakes up the workers, so one of them is enough: see stores.test.ts for all.
describe("the Node adapter with rings on NATS", () => {
  const { client } = useBroker(nats);
  const harness = createNodeHarness((options) =>
    withQueue(createMemoryBackend(options), client().createQueue({ name: newQueueName() })),
  );
  afterEach(() => harness.close());
  declareAdapterCases(harness, storeCases);
});
