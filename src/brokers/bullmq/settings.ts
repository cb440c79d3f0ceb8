import { instance, text } from "../../contract/option-values.js";
import type { OptionTable } from "../../contract/options.js";
import type { BrokerOptions } from "../shared/settings.js";
import type { Bullmq } from "./bullmq.js";

/** Options of {@link createBullmqQueue}. `bullmq` and `connection` are required. */
export interface BullmqQueueOptions<Connection> extends BrokerOptions {
  /** The module, from `import * as bullmq from "bullmq"`. */
  readonly bullmq: Bullmq<Connection>;
  /**
   * Client of Redis or Valkey, such as `new Redis(url, { maxRetriesPerRequest: null })` of `ioredis`. The package never
   * closes it.
   */
  readonly connection: Connection;
  /**
   * Start of the keys: 1 to 100 letters, digits, `_` or `-`. The keys of `orders` start with `{<prefix>}:orders`, so that one node
   * of a cluster has them all. Default: `async-request-reply-rings`.
   */
  readonly prefix?: string;
}

type OwnSettings = Required<Omit<BullmqQueueOptions<object>, keyof BrokerOptions>>;

/** How the options are read, besides those of every broker. */
export const BULLMQ_OPTIONS: OptionTable<OwnSettings> = {
  bullmq: instance('the module, from `import * as bullmq from "bullmq"`', "Queue", "Worker"),
  connection: instance(
    "a client of Redis, such as `new Redis(url, { maxRetriesPerRequest: null })` of `ioredis`",
  ),
  prefix: text(/^[\w-]{1,100}$/, "1 to 100 letters, digits, `_` or `-`", "async-request-reply-rings"),
};
