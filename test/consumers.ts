import type { ConsumedDefinition, Consumer, Delivery, Queue, ReceiveRequest } from "async-request-reply";
import { createSystemRuntime } from "../src/ports/system-runtime.js";

const { newToken } = createSystemRuntime();

/** One call of `receive`. */
export interface OneReceipt {
  readonly definitions?: readonly string[];
  readonly limit?: number;
  readonly leaseMs?: number;
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** Receives once by a consumer of its own. By default it does not wait, and receives up to 10 deliveries of `orders`. */
export function receiveOnce(
  queue: Queue,
  {
    definitions = ["orders"],
    limit = 10,
    leaseMs = 60_000,
    token = newToken(),
    signal = AbortSignal.abort(),
  }: OneReceipt = {},
): Promise<readonly Delivery[]> {
  const consumed = definitions.map((name) => ({ name, concurrency: limit, leaseMs }));
  const slots = new Map(definitions.map((name) => [name, limit]));
  return queue.consume({ definitions: consumed }).receive({ slots, limit, token, signal });
}

/** Consumers that receive by another function, which gets what the consumer of the queue would have got. */
export function receivingBy(
  queue: Queue,
  receive: (
    request: ReceiveRequest,
    consumer: Consumer,
    definitions: readonly ConsumedDefinition[],
  ) => Promise<readonly Delivery[]>,
): Pick<Queue, "consume"> {
  return {
    consume: ({ definitions }) => {
      const consumer = queue.consume({ definitions });
      return {
        receive: (request) => receive(request, consumer, definitions),
        close: () => consumer.close(),
      };
    },
  };
}
