import { durationMs, type OptionNames } from "../../contract/options.js";
import { toObserver } from "../../observing/to-observer.js";
import type { Observer } from "../../ports/observer.js";
import type { Runtime } from "../../ports/runtime.js";
import { createSystemRuntime } from "../../ports/system-runtime.js";

/** Options of every queue on a message broker. Durations are integers greater than 0. */
export interface BrokerOptions {
  /** Time limit of a call to the broker, which then throws `QUEUE_UNAVAILABLE`. Milliseconds. Default: 5 s. */
  readonly timeoutMs?: number;
  /** Time after which an announcement is delivered again if the store was unreachable. Milliseconds. Default: 1 s. */
  readonly retryDelayMs?: number;
  /**
   * Receives an event for each message that is not an announcement. `false` turns it off. Default: logs to the
   * console, at most 10 lines in 10 s.
   */
  readonly observe?: Observer | false;
  /** Clock and randomness, for tests. Default for each member: the platform's. */
  readonly runtime?: Partial<Runtime>;
}

/** Names of {@link BrokerOptions}. */
export const BROKER_OPTIONS: OptionNames<BrokerOptions> = {
  timeoutMs: true,
  retryDelayMs: true,
  observe: true,
  runtime: true,
};

/** {@link BrokerOptions} with their defaults. */
export interface BrokerSettings {
  readonly timeoutMs: number;
  readonly retryDelayMs: number;
  readonly observe: Observer;
  readonly runtime: Runtime;
}

/**
 * Checks the values of {@link BrokerOptions} and fills in the defaults. The caller checks the names.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readBrokerSettings(options: BrokerOptions): BrokerSettings {
  const runtime = { ...createSystemRuntime(), ...options.runtime };
  return {
    timeoutMs: durationMs("timeoutMs", options.timeoutMs, 5_000),
    retryDelayMs: durationMs("retryDelayMs", options.retryDelayMs, 1_000),
    observe: toObserver(options.observe, runtime.clock),
    runtime,
  };
}
