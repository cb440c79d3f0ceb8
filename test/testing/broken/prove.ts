import type { ManualClock, PortCase, PortHarness } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import type { Alter } from "../../backends/memory-harnesses.js";

/** An implementation that breaks a rule, and the rules whose cases must notice. */
export interface BrokenPort<Port> {
  readonly name: string;
  readonly caughtBy: readonly string[];
  /** What it does instead of what the port under it does. */
  methods(port: Port, clock: ManualClock): Partial<Port>;
}

/** Proves a suite: each broken implementation is caught by the cases it names, and each case catches one of them. */
export function proveSuite<Port extends object, Harness extends PortHarness<Port>, Base extends Port = Port>(
  name: string,
  suite: {
    readonly cases: readonly PortCase<Harness>[];
    readonly harness: (alter: Alter<Port>) => Harness;
    readonly broken: readonly BrokenPort<Base>[];
    /** What the broken implementations need to know of the port under them. */
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
    it.each(broken)("notices one that $name", async (each) => {
      const failures = await failuresOf(each);
      expect([...failures.keys()].sort()).toEqual([...each.caughtBy].sort());
      // A case that stumbles over something else has noticed nothing.
      for (const error of failures.values()) expect(error).not.toBeInstanceOf(TypeError);
    });

    it("has no two cases of the same rule, and none that nothing can break", () => {
      const rules = cases.map(({ rule }) => rule).sort();
      expect(rules).toEqual([...new Set(broken.flatMap(({ caughtBy }) => caughtBy))].sort());
    });
  });
}

/** The port with some of its members replaced. */
export function overriding<Port extends object>(port: Port, overrides: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Makes concurrent calls share one answer, as two callers do that read before either has written. */
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
