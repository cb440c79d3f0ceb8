import type { CallBroker } from "../shared/calls.js";
import type { AmqpChannel, AmqpMessage } from "./amqp.js";

/** A consumer of a queue, to which the broker sends a message only if it has acknowledged the one before. */
export interface Consumer {
  /** Acknowledges the message that it has taken, and waits for the next one. Resolves to `undefined` when it has ended. */
  take(): Promise<AmqpMessage | undefined>;
  /** Ends the consumer, and acknowledges the message that it has taken. */
  end(): void;
  /** Makes `take` throw. */
  fail(error: unknown): void;
}

/** Starts a consumer on a channel whose prefetch is 1. */
export async function startConsumer(
  channel: AmqpChannel,
  queue: string,
  call: CallBroker,
): Promise<Consumer> {
  let message: AmqpMessage | undefined;
  let isTaken = false;
  let hasEnded = false;
  let failure: { readonly error: unknown } | undefined;
  let notify: () => void = () => {};

  function arrive(arrived: AmqpMessage): void {
    message = arrived;
    isTaken = false;
    // It was on its way when the consumer ended.
    if (hasEnded) acknowledge();
    notify();
  }

  function fail(error: unknown): void {
    failure ??= { error };
    notify();
  }

  function acknowledge(): void {
    if (message === undefined) return;
    if (isTaken) channel.ack(message);
    else channel.nack(message, false, true);
    message = undefined;
  }

  const { consumerTag } = await call(() =>
    channel.consume(queue, (arrived) => {
      if (arrived === null) fail(new Error(`The queue "${queue}" was deleted.`));
      else arrive(arrived);
    }),
  );
  return {
    take: async () => {
      if (isTaken) acknowledge();
      if (message === undefined && !hasEnded && failure === undefined)
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      if (failure !== undefined) throw failure.error;
      isTaken = message !== undefined;
      return message;
    },
    end: () => {
      hasEnded = true;
      notify();
      if (failure !== undefined) return;
      // A broker that does not answer has nothing left to release.
      const cancel = async (): Promise<void> => {
        const canceled = channel.cancel(consumerTag);
        acknowledge();
        await canceled;
      };
      call(cancel).catch(() => {});
    },
    fail,
  };
}
