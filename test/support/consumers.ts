import type { Queue } from "async-request-reply";
import type { ConsumedDefinition, Consumer, Delivery, ReceiveRequest } from "async-request-reply/ports";
import { createSystemRuntime } from "../../src/ports/system-runtime.js";

const { newToken } = createSystemRuntime();

/** Options of {@link receiveOnce}. */
export interface ReceiveOnceOptions {
  readonly definitions?: readonly string[];
  readonly limit?: number;
  readonly leaseMs?: number;
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** Receives once with a new consumer. By default it does not wait and returns up to 10 deliveries of `orders`. */
export function receiveOnce(
  queue: Queue,
  {
    definitions = ["orders"],
    limit = 10,
    leaseMs = 60_000,
    token = newToken(),
    signal = AbortSignal.abort(),
  }: ReceiveOnceOptions = {},
): Promise<readonly Delivery[]> {
  const consumed = definitions.map((name) => ({ name, concurrency: limit, leaseMs }));
  const slots = new Map(definitions.map((name) => [name, limit]));
  return queue.consume({ definitions: consumed }).receive({ slots, limit, token, signal });
}

/** Creates consumers that receive through `receive`, which gets the arguments of the queue's own consumer. */
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
