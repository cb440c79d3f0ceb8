import { bullmq } from "./bullmq.js";
import { nats } from "./nats.js";
import { rabbitmq } from "./rabbitmq.js";
import type { TestedBroker } from "./tested-broker.js";

/** All brokers, or the one that `BROKER` names. */
export const brokers: readonly TestedBroker[] = [rabbitmq, nats, bullmq].filter(
  ({ name }) => process.env.BROKER === undefined || process.env.BROKER === name,
);
