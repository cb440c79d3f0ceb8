import { duration, instance, type OptionTable, text } from "../../contract/option-table.js";
import type { BrokerOptions, BrokerSettings } from "../shared/settings.js";
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
  /** Start of the keys: 1 to 100 letters, digits, `_` or `-`. Default: `async-request-reply`. */
  readonly prefix?: string;
  /** Interval at which an idle worker looks for jobs without an event. Milliseconds. Default: 1 s. */
  readonly pollIntervalMs?: number;
}

type OwnSettings = Required<Omit<BullmqQueueOptions<object>, keyof BrokerOptions>>;

/** {@link BullmqQueueOptions} with their defaults. */
export type BullmqSettings = BrokerSettings & OwnSettings;

/** How the options are read, besides those of every broker. */
export const BULLMQ_OPTIONS: OptionTable<OwnSettings> = {
  bullmq: instance('the module, from `import * as bullmq from "bullmq"`', "Queue", "Worker", "QueueEvents"),
  connection: instance(
    "a client of Redis, such as `new Redis(url, { maxRetriesPerRequest: null })` of `ioredis`",
  ),
  prefix: text(/^[\w-]{1,100}$/, "1 to 100 letters, digits, `_` or `-`", "async-request-reply"),
  pollIntervalMs: duration(1_000),
};
