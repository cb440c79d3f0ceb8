import { createMemoryBackend, withQueue } from "async-request-reply";
import { afterEach, describe } from "vitest";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { createNodeHarness } from "../support/node-harness.js";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";

describe.each(brokers)("the Node adapter with announcements on $name", (broker) => {
  const { client } = useBroker(broker);
  const harness = createNodeHarness((options) =>
    withQueue(createMemoryBackend(options), client().createQueue({ name: newQueueName() })),
  );
  afterEach(() => harness.close());
  declareAdapterCases(harness);
});
