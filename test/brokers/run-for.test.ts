import { createMemoryBackend, withQueue } from "async-request-reply";
import { describe } from "vitest";
import { declareRunFor } from "../support/run-for.js";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";

describe.each(brokers)("runFor with $name", (broker) => {
  const { client } = useBroker(broker);
  declareRunFor(() => withQueue(createMemoryBackend(), client().createQueue({ name: newQueueName() })));
});
