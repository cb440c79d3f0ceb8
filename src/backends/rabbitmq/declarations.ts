import type { CallBroker } from "../broker/calls.js";
import { toQueueName } from "../broker/queue-name.js";
import type { AmqpChannel } from "./amqp.js";
import type { RabbitmqSettings } from "./settings.js";

export const BROKER = "RabbitMQ";

/**
 * Creates the queue of a definition over a channel, or checks that it exists, and returns its name.
 *
 * Throws `QUEUE_UNAVAILABLE`, or `INVALID_OPTION` if the name is too long.
 */
export type DeclareQueue = (channel: AmqpChannel, definition: string) => Promise<string>;

/**
 * Creates the function through which all channels of this process declare queues, one at a time per queue. Without this,
 * a channel could find a quorum queue that another one is just creating, and use it before it has a leader. RabbitMQ
 * 3.10 then closes the whole connection.
 */
export function createDeclarations(
  { prefix, queueType, declare }: Pick<RabbitmqSettings, "prefix" | "queueType" | "declare">,
  call: CallBroker,
): DeclareQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (channel, definition) => {
    const name = toQueueName(`${prefix}.`, definition, { broker: BROKER, option: "prefix" });
    const send = (): Promise<unknown> =>
      call(() =>
        declare
          ? channel.assertQueue(name, { durable: true, arguments: { "x-queue-type": queueType } })
          : channel.checkQueue(name),
      );
    const turn = (last.get(name) ?? Promise.resolve()).then(send, send);
    last.set(name, turn);
    await turn;
    return name;
  };
}
