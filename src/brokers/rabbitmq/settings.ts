import { either, flag, instance, text } from "../../contract/option-values.js";
import type { OptionTable } from "../../contract/options.js";
import type { BrokerOptions, BrokerSettings } from "../shared/settings.js";
import type { AmqpConnection } from "./amqp.js";

/** Options of {@link createRabbitmqQueue}. Only `connection` is required. */
export interface RabbitmqQueueOptions extends BrokerOptions {
  /**
   * Connection of `amqplib` 2, such as `await connect(url, { recovery: true, noDelay: true })`. The package never
   * closes it. Add a listener for its event `error`, because Node.js ends a process that has none.
   */
  readonly connection: AmqpConnection;
  /** Start of the names of the queues. The queue of `orders` is `<prefix>.orders`. Default: `async-request-reply-rings`. */
  readonly prefix?: string;
  /**
   * `classic` keeps a queue on one broker. `quorum` is slower, and goes on while a broker of a cluster is down. Without it, work
   * then begins up to 10 s late. Default: `classic`.
   */
  readonly queueType?: "classic" | "quorum";
  /**
   * Whether to create missing queues. Pass `false` if the account has no permission to do so, and create durable
   * queues with these names yourself. Default: true.
   */
  readonly declare?: boolean;
}

type OwnSettings = Required<Omit<RabbitmqQueueOptions, keyof BrokerOptions>>;

/** {@link RabbitmqQueueOptions} with their defaults. */
export type RabbitmqSettings = BrokerSettings & OwnSettings;

/** How the options are read, besides those of every broker. */
export const RABBITMQ_OPTIONS: OptionTable<OwnSettings> = {
  connection: instance(
    "a connection of `amqplib`, such as `await connect(url, { recovery: true })`",
    "createChannel",
    "createConfirmChannel",
  ),
  prefix: text(
    /^[\w.:-]{1,100}$/,
    "1 to 100 letters, digits, `.`, `_`, `:` or `-`",
    "async-request-reply-rings",
  ),
  queueType: either("classic", "quorum"),
  declare: flag(true),
};
