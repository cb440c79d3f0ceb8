import { withoutPayload } from "../contract/contract-violation.js";
import { builtinModule } from "../platform/builtin-module.js";
import type { DeliverMessage, ProcessMessage, SettleMessage, SubmitMessage, TracedWork } from "./messages.js";

/** The five channels of a tracing channel of `node:diagnostics_channel`. */
type ChannelName = "start" | "end" | "asyncStart" | "asyncEnd" | "error";

/** Functions that receive the messages of a tracing channel. */
export type Handlers<Message> = { readonly [Name in ChannelName]?: (message: Message) => void };

/** A tracing channel of `node:diagnostics_channel`. */
export type Channel<Message> = {
  readonly [Name in ChannelName]: {
    readonly hasSubscribers: boolean;
    publish(message: Message): void;
  };
} & {
  /** Absent on Bun, where subscribers of `start` count. */
  readonly hasSubscribers?: boolean;
  tracePromise<T>(work: () => Promise<T>, message: Message): Promise<T>;
  subscribe(handlers: Handlers<Message>): void;
  unsubscribe(handlers: Handlers<Message>): unknown;
};

/** Submissions, from the request to the record. Absent on runtimes without `node:diagnostics_channel`. */
export const submitChannel: Channel<SubmitMessage> | undefined = /* @__PURE__ */ open("submit");

/** Attempts, while their processor runs. */
export const processChannel: Channel<ProcessMessage> | undefined = /* @__PURE__ */ open("process");

/** Attempts, while the store records how they ended. */
export const settleChannel: Channel<SettleMessage> | undefined = /* @__PURE__ */ open("settle");

/** Webhooks, from looking up the endpoint to the answer of the receiver. */
export const deliverChannel: Channel<DeliverMessage> | undefined = /* @__PURE__ */ open("deliver");

function open<Message>(name: string): Channel<Message> | undefined {
  return builtinModule<{ tracingChannel?(name: string): Channel<Message> }>(
    "node:diagnostics_channel",
  )?.tracingChannel?.(`async-request-reply:${name}`);
}

/** Returns whether a channel has subscribers. */
export function isTraced<Message>(channel: Channel<Message> | undefined): channel is Channel<Message> {
  return channel?.hasSubscribers ?? channel?.start.hasSubscribers ?? false;
}

/**
 * Runs work, and publishes it on a channel, but neither what it returns nor the parts of an error that quote a payload.
 * Without subscribers, it only calls `work`.
 *
 * @param describe creates the message
 * @param conclude returns the members that the message has once the work is done. An `error` among them is published.
 */
export function traced<Message extends TracedWork, T>(
  channel: Channel<Message> | undefined,
  describe: () => NoInfer<Message>,
  work: (message?: NoInfer<Message>) => Promise<T>,
  conclude: (value: T) => NoInfer<Partial<Message>>,
): Promise<T> {
  if (!isTraced(channel)) return work();
  const message = describe();
  let done: Promise<T> | undefined;
  const run = async (): Promise<void> => {
    done = work(message);
    const value = await done.catch((error: unknown) => {
      throw withoutPayload(error);
    });
    Object.assign(message, conclude(value));
    if (message.error === undefined) return;
    message.error = withoutPayload(message.error);
    channel.error.publish(message);
  };
  // The channel publishes what its own promise settles to, so the caller gets the one of the work.
  return channel
    .tracePromise(() => message.around?.(run) ?? run(), message)
    .then(
      () => done as Promise<T>,
      (error) => done ?? Promise.reject(error),
    );
}
