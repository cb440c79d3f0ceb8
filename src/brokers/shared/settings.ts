import { duration, unchecked } from "../../contract/option-values.js";
import { type OptionTable, readOptions } from "../../contract/options.js";
import { toObserver } from "../../observing/to-observer.js";
import { createSystemRuntime } from "../../platform/system-runtime.js";
import type { Observer } from "../../ports/observer.js";
import type { Runtime } from "../../ports/runtime.js";

/** Options of every queue on a message broker. Durations are integers greater than 0. */
export interface BrokerOptions {
  /** Time limit of a call to the broker, which then throws `QUEUE_UNAVAILABLE`. Milliseconds. Default: 5 s. */
  readonly timeoutMs?: number;
  /**
   * Receives an event for each message that is not a ring, and if a ring cannot be passed on to another worker. `false` turns it
   * off. Default: logs to the console, at most 10 lines in 10 s.
   */
  readonly observe?: Observer | false;
  /** Clock and randomness, for tests. Default for each member: the platform's. */
  readonly runtime?: Partial<Runtime>;
}

/** {@link BrokerOptions} with their defaults. */
export interface BrokerSettings {
  readonly timeoutMs: number;
  readonly observe: Observer;
  readonly runtime: Runtime;
}

const OPTIONS: OptionTable<Required<BrokerOptions>> = {
  timeoutMs: duration(5_000),
  observe: unchecked(),
  runtime: unchecked(),
};

/**
 * Checks the options of a queue, those of every broker included, and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readBrokerOptions<Settings extends object>(
  options: BrokerOptions,
  table: OptionTable<Settings>,
  owner: string,
): Settings & BrokerSettings {
  const all = { ...table, ...OPTIONS } as OptionTable<Settings & Required<BrokerOptions>>;
  const read = readOptions(options, all, owner);
  const runtime = { ...createSystemRuntime(), ...read.runtime };
  return { ...read, runtime, observe: toObserver(read.observe, runtime.clock) };
}
