import type { Observer, Queue } from "async-request-reply";
import type { PrivateBroker } from "./private-broker.js";

/** Options that the queues of all brokers have. */
export interface TestedQueueOptions {
  /** Separates the queues of one test from those of the others. */
  readonly name: string;
  readonly timeoutMs?: number;
  /** Not for BullMQ, which creates nothing beforehand. */
  readonly declare?: boolean;
  /** Only for RabbitMQ. */
  readonly queueType?: "quorum";
  /** Only for NATS. */
  readonly replicas?: number;
  readonly observe?: Observer | false;
}

/** A connection of a client library, opened by a test as by a user. */
export interface TestedClient {
  createQueue(options: TestedQueueOptions): Queue;
  /** Publishes a message of another program to the queue of a definition. */
  publishForeign(queue: string, definition: string, body: string): Promise<unknown>;
  /** Number of messages that the broker holds for a definition, or will deliver again. */
  countMessages(queue: string, definition: string): Promise<number>;
  /** Trace context in the header fields of the next message of a definition. */
  readTraceFields(queue: string, definition: string): Promise<unknown>;
  /** Deletes the queue, the stream or the keys, as an operator would. */
  deleteQueue(queue: string, definition: string): Promise<unknown>;
  close(): Promise<void>;
}

/** A broker with its client library. */
export interface TestedBroker {
  readonly name: string;
  /** Scheme of its URLs. */
  readonly scheme: string;
  startServer(): Promise<PrivateBroker>;
  connect(port: number): Promise<TestedClient>;
}
