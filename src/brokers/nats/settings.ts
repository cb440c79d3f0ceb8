import {
  checkOptions,
  invalidOption,
  isObject,
  kindOf,
  misuse,
  type OptionNames,
  positiveInteger,
} from "../../contract/options.js";
import {
  BROKER_OPTIONS,
  type BrokerOptions,
  type BrokerSettings,
  readBrokerSettings,
} from "../shared/settings.js";
import type { JetStream, NatsHeaders } from "./jetstream.js";

/** Options of {@link createNatsQueue}. Only `jetstream` is required. */
export interface NatsQueueOptions extends BrokerOptions {
  /** Result of `jetstream(connection)` of `@nats-io/jetstream` 3. The package never closes the connection. */
  readonly jetstream: JetStream;
  /**
   * Name of the stream: 1 to 100 letters, digits, `_` or `-`. The subject of `orders` is `<stream>.orders`. Default:
   * `async-request-reply`.
   */
  readonly stream?: string;
  /** Number of servers of a cluster that store each announcement, 1 to 5. Used when the stream is created. Default: 1. */
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

const OPTIONS: OptionNames<NatsQueueOptions> = {
  jetstream: true,
  stream: true,
  replicas: true,
  declare: true,
  headers: true,
  ...BROKER_OPTIONS,
};

/** {@link NatsQueueOptions} with their defaults. */
export type NatsSettings = BrokerSettings &
  Required<Pick<NatsQueueOptions, "jetstream" | "stream" | "replicas" | "declare">> & {
    readonly headers: NatsQueueOptions["headers"] | undefined;
  };

/** Largest number of replicas of a stream. */
const MAX_REPLICAS = 5;

/**
 * Checks all options and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readNatsSettings(options: NatsQueueOptions): NatsSettings {
  checkOptions(options, OPTIONS, "createNatsQueue");
  const { jetstream, stream = "async-request-reply", declare = true, headers } = options;
  checkJetStream(jetstream);
  if (typeof stream !== "string" || !/^[\w-]{1,100}$/.test(stream))
    throw invalidOption("stream", "1 to 100 letters, digits, `_` or `-`", stream);
  if (typeof declare !== "boolean") throw invalidOption("declare", "true or false", declare);
  if (headers !== undefined && typeof headers !== "function")
    throw invalidOption("headers", "the function `headers` of `@nats-io/transport-node`", headers);
  const replicas = positiveInteger("replicas", options.replicas, 1);
  if (replicas > MAX_REPLICAS) throw invalidOption("replicas", `at most ${MAX_REPLICAS}`, replicas);
  return { jetstream, stream, replicas, declare, headers, ...readBrokerSettings(options) };
}

function checkJetStream(jetstream: unknown): void {
  const { publish, jetstreamManager } = isObject(jetstream) ? (jetstream as Partial<JetStream>) : {};
  if (typeof publish === "function" && typeof jetstreamManager === "function") return;
  const expected = "the result of `jetstream(connection)` of `@nats-io/jetstream`";
  throw misuse(`Option \`jetstream\` must be ${expected}, not ${kindOf(jetstream)}.`);
}
