import {
  checkOptions,
  invalidOption,
  isObject,
  kindOf,
  misuse,
  type OptionNames,
} from "../../contract/options.js";
import {
  BROKER_OPTIONS,
  type BrokerOptions,
  type BrokerSettings,
  readBrokerSettings,
} from "../shared/settings.js";
import type { AmqpConnection } from "./amqp.js";

/** Options of {@link createRabbitmqQueue}. Only `connection` is required. */
export interface RabbitmqQueueOptions extends BrokerOptions {
  /**
   * Connection of `amqplib` 2, such as `await connect(url, { recovery: true, noDelay: true })`. The package never
   * closes it. Add a listener for its event `error`, because Node.js ends a process that has none.
   */
  readonly connection: AmqpConnection;
  /** Start of the names of the queues. The queue of `orders` is `<prefix>.orders`. Default: `async-request-reply`. */
  readonly prefix?: string;
  /**
   * `quorum` keeps announcements on a majority of the brokers of a cluster. `classic` keeps them on one broker, and is
   * faster. Default: `quorum`.
   */
  readonly queueType?: "quorum" | "classic";
  /**
   * Whether to create missing queues. Pass `false` if the account has no permission to do so, and create durable
   * queues with these names yourself. Default: true.
   */
  readonly declare?: boolean;
}

const OPTIONS: OptionNames<RabbitmqQueueOptions> = {
  connection: true,
  prefix: true,
  queueType: true,
  declare: true,
  ...BROKER_OPTIONS,
};

/** {@link RabbitmqQueueOptions} with their defaults. */
export type RabbitmqSettings = BrokerSettings & Required<Omit<RabbitmqQueueOptions, keyof BrokerOptions>>;

/**
 * Checks all options and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readRabbitmqSettings(options: RabbitmqQueueOptions): RabbitmqSettings {
  checkOptions(options, OPTIONS, "createRabbitmqQueue");
  const { connection, prefix = "async-request-reply", queueType = "quorum", declare = true } = options;
  checkConnection(connection);
  if (typeof prefix !== "string" || !/^[\w.:-]{1,100}$/.test(prefix))
    throw invalidOption("prefix", "1 to 100 letters, digits, `.`, `_`, `:` or `-`", prefix);
  if (queueType !== "quorum" && queueType !== "classic")
    throw invalidOption("queueType", "`quorum` or `classic`", queueType);
  if (typeof declare !== "boolean") throw invalidOption("declare", "true or false", declare);
  return { connection, prefix, queueType, declare, ...readBrokerSettings(options) };
}

function checkConnection(connection: unknown): void {
  const methods = isObject(connection) ? (connection as Partial<AmqpConnection>) : {};
  if (typeof methods.createChannel === "function" && typeof methods.createConfirmChannel === "function")
    return;
  const expected = "a connection of `amqplib`, such as `await connect(url, { recovery: true })`";
  throw misuse(`Option \`connection\` must be ${expected}, not ${kindOf(connection)}.`);
}
