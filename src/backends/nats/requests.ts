import type { CallBroker } from "../broker/calls.js";
import type { JetStreamMessage, JetStreamMessages } from "./jetstream.js";
import type { Stream } from "./stream.js";

/** The open requests of one consumer for messages of one definition. */
export interface Requests {
  /** Requests messages until `count` of them are on order. Throws if the server refuses. */
  order(count: number): Promise<void>;
  /** Returns how many messages wait in the stream. */
  countWaiting(): Promise<number>;
  /** Ends all requests. */
  close(): Promise<void>;
}

/** Functions that the requests call. */
export interface RequestHandlers {
  readonly onMessage: (message: JetStreamMessage) => void;
  /** Called when a request ends, with an error if the server or the connection ended it. */
  readonly onEnd: (error?: unknown) => void;
}

/** Time after which an unanswered request is renewed. The client notices a deleted consumer within it. Milliseconds. */
const EXPIRES_MS = 10_000;

/**
 * Creates the requests for a definition. A request stays open over several calls to `receive`, because ending it early
 * would lose the messages on their way until their acknowledgment is overdue.
 */
export function createRequests(
  stream: Stream,
  definition: string,
  call: CallBroker,
  { onMessage, onEnd }: RequestHandlers,
): Requests {
  const open = new Set<JetStreamMessages>();
  let ordered = 0;

  async function read(messages: JetStreamMessages, count: number): Promise<void> {
    let left = count;
    try {
      for await (const message of messages) {
        // After a lost connection, the client orders the full number once more.
        if (left > 0) ordered -= 1;
        left -= 1;
        onMessage(message);
      }
    } finally {
      ordered -= Math.max(0, left);
      open.delete(messages);
    }
  }

  return {
    order: async (count) => {
      const missing = count - ordered;
      if (missing <= 0) return;
      ordered += missing;
      try {
        const consumer = await stream.consumerOf(definition);
        const messages = await call(() => consumer.fetch({ max_messages: missing, expires: EXPIRES_MS }));
        open.add(messages);
        read(messages, missing).then(
          () => onEnd(),
          (error: unknown) => onEnd(error),
        );
      } catch (error) {
        ordered -= missing;
        throw error;
      }
    },
    countWaiting: async () => {
      const consumer = await stream.consumerOf(definition);
      return (await call(() => consumer.info())).num_pending;
    },
    close: async () => {
      await Promise.all([...open].map((messages) => messages.close()));
    },
  };
}
