import { misuse } from "../contract/options.js";
import {
  type Channel,
  deliverChannel,
  type Handlers,
  processChannel,
  settleChannel,
  submitChannel,
} from "../telemetry/channels.js";
import type { DeliverMessage, ProcessMessage, SettleMessage, SubmitMessage } from "../telemetry/messages.js";

/** Handlers of the messages of each channel. */
export interface ChannelHandlers {
  readonly submit?: Handlers<SubmitMessage>;
  readonly process?: Handlers<ProcessMessage>;
  readonly settle?: Handlers<SettleMessage>;
  readonly deliver?: Handlers<DeliverMessage>;
}

/**
 * Subscribes to the channels. Returns a function that ends the subscription.
 *
 * Throws `INVALID_OPTION` if the runtime has no tracing channels.
 */
export function subscribe({ submit, process, settle, deliver }: ChannelHandlers): () => void {
  const ends = [
    subscribeTo(submitChannel, submit),
    subscribeTo(processChannel, process),
    subscribeTo(settleChannel, settle),
    subscribeTo(deliverChannel, deliver),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function subscribeTo<Message>(
  channel: Channel<Message> | undefined,
  handlers: Handlers<Message> = {},
): () => void {
  if (channel === undefined)
    throw misuse(
      "This runtime has no tracing channels of `node:diagnostics_channel`. Start telemetry on Node.js, Bun or Deno only.",
    );
  channel.subscribe(handlers);
  return () => void channel.unsubscribe(handlers);
}
