/** What a back end can do that not every other can. */
export interface Capabilities {
  /**
   * The finest step of time that the cases take: more than a few calls and the inexactness of `passTime` take together. 1 on
   * a manual clock; in real time some hundred milliseconds.
   */
  readonly leaseGranularityMs: number;
  /** `passTime` can let hours pass: on a manual clock, or by moving back what is stored. */
  readonly skipsTime?: boolean;
  /** The harness has `jumpTime`. */
  readonly jumpsBack?: boolean;
  /** The operation store has `watch`. */
  readonly watch?: boolean;
  /** The operation store has `getMany`. */
  readonly getMany?: boolean;
  /** The operation store has `list`. */
  readonly list?: boolean;
  /** The operation store has `stats`. */
  readonly stats?: boolean;
  /** The operation store has `redrive`. */
  readonly redrive?: boolean;
  /** The queue hands out announcements of one definition in the order in which they were published. */
  readonly ordered?: boolean;
  /** The queue drops an announcement whose id it has seen shortly before. */
  readonly deduplicates?: boolean;
  /** The queue carries every announcement by itself, whatever the store says about the operation. */
  readonly standalone?: boolean;
  /** The queue begins an attempt with the receipt. */
  readonly beginsAttempts?: boolean;
  /** The harness can make a back end that has no room for another operation. */
  readonly fills?: boolean;
}

/** A capability that a case may need. */
export type Capability = Exclude<keyof Capabilities, "leaseGranularityMs">;

/** A port made for one case. */
export interface OpenPort<Port> {
  /** Fresh and empty. */
  readonly port: Port;
  /** Called at the end of the case, whatever became of it. */
  close?(): Promise<void>;
}

/** What a suite asks of those who run it on their back end. */
export interface PortHarness<Port> {
  /** Decide which cases can run: see {@link runnableCases}. */
  readonly capabilities: Capabilities;
  /** Makes a fresh and empty port. */
  create(): Promise<OpenPort<Port>>;
  /**
   * Lets at least `ms` pass by the clock of the back end, and everything happen that was about to. In real time that is
   * a little more: a timer may fire a millisecond early by the clock of another process.
   */
  passTime(ms: number): Promise<void>;
  /** Sets the clock of the back end forward, or back by a negative number, as when the time of a machine is corrected. */
  jumpTime?(ms: number): Promise<void>;
}

/** One rule of a port, and how to find out whether a back end keeps it. */
export interface PortCase<Harness> {
  /** A sentence about behaviour, to be used as the name of a test. */
  readonly name: string;
  /** A short id that stays the same when the sentence is worded anew. */
  readonly rule: string;
  /** Without all of these the case is to be skipped by name. */
  readonly needs?: readonly Capability[];
  /** Resolves when the rule is kept, else rejects with what was expected. */
  run(harness: Harness): Promise<void>;
}

/** A case before it is bound to the way in which its port is opened. */
export interface PortCheck<Port, Harness> extends Omit<PortCase<Harness>, "run"> {
  check(port: Port, time: PortTime, harness: Harness): Promise<void>;
}

/** Time as a case sees it. */
export interface PortTime {
  /** {@link Capabilities.leaseGranularityMs}: all short durations are multiples of it. */
  readonly unitMs: number;
  pass(ms: number): Promise<void>;
  /** Sets the clock forward or back. Only for cases that need `jumpsBack`. */
  jump(ms: number): Promise<void>;
}

/** Turns checks into cases: each opens a port of its own and closes it. */
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
            throw new Error("A harness with the capability `jumpsBack` needs `jumpTime`.");
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

/** A case, and why it cannot run where it cannot. */
export interface RunnableCase<Harness> {
  /** To be run unless `skipped` is there. */
  readonly case: PortCase<Harness>;
  /** The reason, for the report: `needs watch`. */
  readonly skipped?: string;
}

/** Says which cases a back end can run, so that the others are reported as skipped by name instead of left out. */
export function runnableCases<Harness extends { readonly capabilities: Capabilities }>(
  cases: readonly PortCase<Harness>[],
  { capabilities }: Harness,
): readonly RunnableCase<Harness>[] {
  return cases.map((each) => {
    const missing = (each.needs ?? []).filter((capability) => capabilities[capability] !== true);
    return missing.length === 0 ? { case: each } : { case: each, skipped: `needs ${missing.join(", ")}` };
  });
}

/** Runs `count` calls at the same time. */
export function concurrently<Result>(
  count: number,
  call: (index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
}
