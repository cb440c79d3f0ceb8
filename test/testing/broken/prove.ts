import type { ManualClock, PortCase, PortHarness } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import type { Alter } from "../../support/memory-harnesses.js";

/** An implementation that breaks a rule, with the rules whose cases must catch it. */
export interface BrokenPort<Port> {
  readonly name: string;
  readonly caughtBy: readonly string[];
  /** Returns the methods that replace those of the underlying port. */
  methods(port: Port, clock: ManualClock): Partial<Port>;
}

/** Returns what is to be named: an implementation with a mistake, which the cases of some rules must catch. */
export function caughtBy<Port>(
  rules: readonly string[],
  methods: (port: Port, clock: ManualClock) => Partial<NoInfer<Port>>,
): Omit<BrokenPort<Port>, "name"> {
  return { caughtBy: rules, methods };
}

/** Returns broken implementations by their names. */
export function named<Port>(
  ports: Readonly<Record<string, ReturnType<typeof caughtBy<Port>>>>,
): readonly BrokenPort<Port>[] {
  return Object.entries(ports).map(([name, port]) => ({ name, ...port }));
}

/** Proves a suite: the named cases catch each broken implementation, and each case catches at least one. */
export function proveSuite<Port extends object, Harness extends PortHarness<Port>, Base extends Port = Port>(
  name: string,
  suite: {
    readonly cases: readonly PortCase<Harness>[];
    readonly harness: (alter: Alter<Port>) => Harness;
    readonly broken: readonly BrokenPort<Base>[];
    /** Extends the underlying port with state that broken implementations need. */
    readonly base: (port: Port, clock: ManualClock) => Base;
  },
): void {
  const { cases, harness, broken, base } = suite;

  async function failuresOf({ caughtBy, methods }: BrokenPort<Base>): Promise<Map<string, unknown>> {
    const alter: Alter<Port> = (port, clock) => {
      const underneath = base(port, clock);
      return overriding<Port>(underneath, methods(underneath, clock));
    };
    const failures = new Map<string, unknown>();
    for (const { rule, run } of cases.filter((each) => caughtBy.includes(each.rule))) {
      await run(harness(alter)).catch((error: unknown) => failures.set(rule, error));
    }
    return failures;
  }

  describe(`the suite of ${name}`, () => {
    it.each(broken)("catches one that $name", async (each) => {
      const failures = await failuresOf(each);
      expect([...failures.keys()].sort()).toEqual([...each.caughtBy].sort());
      // A `TypeError` means that the case failed by accident.
      for (const error of failures.values()) expect(error).not.toBeInstanceOf(TypeError);
    });

    it("has one case per rule, and a broken implementation for each case", () => {
      const rules = cases.map(({ rule }) => rule).sort();
      expect(rules).toEqual([...new Set(broken.flatMap(({ caughtBy }) => caughtBy))].sort());
    });
  });
}

/** Returns the port with some of its members replaced. */
export function overriding<Port extends object>(port: Port, overrides: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Makes concurrent calls share one result, like two callers that both read before either has written. */
export function sharingAnswers<Args extends unknown[], Result>(
  call: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let current: Promise<Result> | undefined;
  return (...args) => {
    current ??= call(...args).finally(() => {
      current = undefined;
    });
    return current;
  };
}
