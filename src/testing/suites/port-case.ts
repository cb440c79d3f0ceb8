import type { Kept } from "../../ports/operation-store.js";

/** Optional abilities of a back end. */
export interface Capabilities {
  /**
   * Finest time step of the cases. Must be longer than a few calls and the inaccuracy of `passTime` together: 1 on a
   * manual clock, a few hundred in real time. Milliseconds.
   */
  readonly leaseGranularityMs: number;
  /** `passTime` can skip hours, with a manual clock or by moving stored times back. */
  readonly skipsTime?: boolean;
  /** The harness has `jumpTime`. */
  readonly jumpsBack?: boolean;
  /** The operation store has `watch`. */
  readonly watch?: boolean;
  /** The operation store has `watchCancellations`. */
  readonly watchCancellations?: boolean;
  /** The operation store has `inspect`. */
  readonly inspect?: boolean;
  /** The harness can create a back end that has no room for another operation. */
  readonly fills?: boolean;
  /** The harness can open the queue of another process. */
  readonly processes?: boolean;
  /** Names the promises that the operation store does not keep. Default: none. */
  readonly lacks?: readonly Kept[];
}

/** A capability that a case may need. */
export type Capability = Exclude<keyof Capabilities, "leaseGranularityMs" | "lacks"> | Kept;

/** A port opened for one case. */
export interface OpenPort<Port> {
  /** New and empty port. */
  readonly port: Port;
  /** Called at the end of the case, whether it passed or failed. */
  close?(): Promise<void>;
}

/** Connects a suite to a back end. */
export interface PortHarness<Port> {
  /** Decide which cases can run. See {@link runnableCases}. */
  readonly capabilities: Capabilities;
  /** Creates a new, empty port. */
  create(): Promise<OpenPort<Port>>;
  /**
   * Lets at least `ms` pass on the clock of the back end and waits for everything that falls due. In real time, wait
   * slightly longer: a timer may fire a millisecond early by the clock of another process.
   */
  passTime(ms: number): Promise<void>;
  /** Sets the clock of the back end forward, or back if `ms` is negative, like a correction of the system time. */
  jumpTime?(ms: number): Promise<void>;
}

/** One rule of a port, with a check that a back end follows it. */
export interface PortCase<Harness> {
  /** Sentence about behavior, for use as a test name. */
  readonly name: string;
  /** Short id that stays the same when the name is reworded. */
  readonly rule: string;
  /** Required capabilities. Skip the case by name if one is missing. */
  readonly needs?: readonly Capability[];
  /** Resolves if the rule is followed. Otherwise rejects and says what was expected. */
  run(harness: Harness): Promise<void>;
}

/** A case before it is bound to a way of opening its port. */
export interface PortCheck<Port, Harness> extends Omit<PortCase<Harness>, "run"> {
  check(port: Port, time: PortTime, harness: Harness): Promise<void>;
}

/** Time as a case sees it. */
export interface PortTime {
  /** {@link Capabilities.leaseGranularityMs}. All short durations are multiples of it. */
  readonly unitMs: number;
  pass(ms: number): Promise<void>;
  /** Sets the clock forward or back. Only for cases that need `jumpsBack`. */
  jump(ms: number): Promise<void>;
}

/** Turns checks into cases. Each case opens a new port and closes it. */
export function toCases<Port, Harness extends PortHarness<Port>>(
  checks: readonly PortCheck<Port, Harness>[],
): readonly PortCase<Harness>[] {
  return checks.map(({ check, ...described }) => ({
    ...described,
    run: async (harness) => {
      const opened = await harness.create();
      const time = {
        unitMs: harness.capabilities.leaseGranularityMs,
        pass: (ms: number) => harness.passTime(ms),
        jump: async (ms: number) => {
          if (harness.jumpTime === undefined)
            throw new Error(
              "The harness declares `jumpsBack`, but has no `jumpTime`. Implement it or remove the capability.",
            );
          await harness.jumpTime(ms);
        },
      };
      try {
        await check(opened.port, time, harness);
      } finally {
        await opened.close?.();
      }
    },
  }));
}

/** A case, with the reason if it cannot run. */
export interface RunnableCase<Harness> {
  /** The case. Run it unless `skipped` is set. */
  readonly case: PortCase<Harness>;
  /** Reason for the test report, such as `needs watch`. */
  readonly skipped?: string;
}

/** Splits the cases of a suite into those that a back end can run and those that a test must report as skipped. */
export function runnableCases<Harness extends { readonly capabilities: Capabilities }>(
  cases: readonly PortCase<Harness>[],
  { capabilities }: Harness,
): readonly RunnableCase<Harness>[] {
  return cases.map((each) => {
    const missing = (each.needs ?? []).filter((need) => !has(capabilities, need));
    return missing.length === 0 ? { case: each } : { case: each, skipped: `needs ${missing.join(", ")}` };
  });
}

function has(capabilities: Capabilities, need: Capability): boolean {
  const { lacks = [] } = capabilities;
  if (need === "deadlines" || need === "lanes" || need === "limits") return !lacks.includes(need);
  return capabilities[need] === true;
}

/** Makes `count` concurrent calls. */
export function concurrently<Result>(
  count: number,
  call: (index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
}
