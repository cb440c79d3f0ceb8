import {
  checkOptions,
  durationMs,
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

const OPTIONS: OptionNames<BullmqQueueOptions<unknown>> = {
  bullmq: true,
  connection: true,
  prefix: true,
  pollIntervalMs: true,
  ...BROKER_OPTIONS,
};

/** {@link BullmqQueueOptions} with their defaults. */
export interface BullmqSettings<Connection> extends BrokerSettings {
  readonly bullmq: Bullmq<Connection>;
  readonly connection: Connection;
  readonly prefix: string;
  readonly pollMs: number;
}

/**
 * Checks all options and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readBullmqSettings<Connection>(
  options: BullmqQueueOptions<Connection>,
): BullmqSettings<Connection> {
  checkOptions(options, OPTIONS, "createBullmqQueue");
  const { bullmq, connection, prefix = "async-request-reply" } = options;
  checkModule(bullmq);
  if (!isObject(connection)) {
    const expected =
      "a client of Redis, such as `new Redis(url, { maxRetriesPerRequest: null })` of `ioredis`";
    // An address can hold a password.
    throw misuse(`Option \`connection\` must be ${expected}, not ${kindOf(connection)}.`);
  }
  if (typeof prefix !== "string" || !/^[\w-]{1,100}$/.test(prefix))
    throw invalidOption("prefix", "1 to 100 letters, digits, `_` or `-`", prefix);
  const pollMs = durationMs("pollIntervalMs", options.pollIntervalMs, 1_000);
  return { bullmq, connection, prefix, pollMs, ...readBrokerSettings(options) };
}

function checkModule(bullmq: unknown): void {
  // The namespace of a module is an object.
  const { Queue, Worker, QueueEvents } = isObject(bullmq) ? (bullmq as Partial<Bullmq>) : {};
  if ([Queue, Worker, QueueEvents].every((each) => typeof each === "function")) return;
  throw invalidOption("bullmq", 'the module, from `import * as bullmq from "bullmq"`', bullmq);
}
