import { callback, flag, instance, integer, optional, text } from "../../contract/option-values.js";
import type { OptionTable } from "../../contract/options.js";
import type { BrokerOptions, BrokerSettings } from "../shared/settings.js";
import type { JetStream, NatsHeaders } from "./jetstream.js";

/** Options of {@link createNatsQueue}. Only `jetstream` is required. */
export interface NatsQueueOptions extends BrokerOptions {
  /** Result of `jetstream(connection)` of `@nats-io/jetstream` 3. The package never closes the connection. */
  readonly jetstream: JetStream;
  /**
   * Name of the stream: 1 to 100 letters, digits, `_` or `-`. The subject of `orders` is `<stream>.orders`. Default:
   * `async-request-reply-rings`.
   */
  readonly stream?: string;
  /** Number of servers of a cluster that store each ring, 1 to 5. Used when the stream is created. Default: 1. */
  readonly replicas?: number;
  /**
   * Whether to create the stream and its consumers if they are missing. Pass `false` if the account has no permission
   * to do so, and create them yourself. Default: true.
   */
  readonly declare?: boolean;
  /**
   * The function `headers` of `@nats-io/transport-node`. If set, messages carry the trace context of their operation in
   * header fields.
   */
  readonly headers?: () => NatsHeaders;
}

type OwnSettings = Required<Omit<NatsQueueOptions, keyof BrokerOptions | "headers">> & {
  readonly headers: NatsQueueOptions["headers"] | undefined;
};

/** {@link NatsQueueOptions} with their defaults. */
export type NatsSettings = BrokerSettings & OwnSettings;

/** How the options are read, besides those of every broker. */
export const NATS_OPTIONS: OptionTable<OwnSettings> = {
  jetstream: instance(
    "the result of `jetstream(connection)` of `@nats-io/jetstream`",
    "publish",
    "jetstreamManager",
  ),
  stream: text(/^[\w-]{1,100}$/, "1 to 100 letters, digits, `_` or `-`", "async-request-reply-rings"),
  replicas: integer(1, 5),
  declare: flag(true),
  headers: optional(callback("the function `headers` of `@nats-io/transport-node`")),
};
