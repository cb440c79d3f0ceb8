import { createMemoryBackend } from "async-request-reply";
import {
  type CreateBackend,
  SimulationFailure,
  type SimulationOptions,
  simulate,
} from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { replacing } from "../replacing.js";
import { beginningBackend } from "./beginning-backend.js";
import { plantedFaults } from "./planted-faults.js";
import { plantedReceipts } from "./planted-receipts.js";

const SCHEDULES = 1_000;
/** What a trace may have at most to be read at a glance. */
const SHORT_TRACE = 40;

const composed: CreateBackend = (clock) => {
  const { submissions: _, ...backend } = createMemoryBackend({ clock });
  return backend;
};
const atomic: CreateBackend = (clock) => createMemoryBackend({ clock });
const beginning: CreateBackend = (clock) => {
  const { submissions: _, ...backend } = beginningBackend(clock);
  return backend;
};

describe("the simulator", () => {
  it.each([
    ["with key and operation recorded one after the other", composed],
    ["with key and operation recorded in one step", atomic],
    ["with attempts that begin with their receipt, of what is recorded one after the other", beginning],
    ["with attempts that begin with their receipt, of what is recorded in one step", beginningBackend],
  ])(
    `finds nothing in ${SCHEDULES} histories of the memory back end %s`,
    { timeout: 120_000 },
    async (_, create) => {
      for (let seed = 1; seed <= SCHEDULES; seed += 1) await simulate(create, { seed });
    },
  );

  it("makes the same history of the same seed", async () => {
    const [first, second] = [await simulate(composed, { seed: 7 }), await simulate(composed, { seed: 7 })];
    expect(first.trace).toEqual(second.trace);
    expect(first.trace.length).toBeGreaterThan(50);
  });

  it.each(Object.entries(plantedFaults))("finds that %s", { timeout: 120_000 }, async (_, create) => {
    const failure = await firstFailure(create);
    expect(failure).toBeInstanceOf(SimulationFailure);
    expect(failure?.violations.join()).toMatch(/I[1-7]: /);
  });

  it.each(Object.entries(plantedReceipts))(
    "finds that %s, with a short trace",
    { timeout: 120_000 },
    async (_, { create, violation }) => {
      const failure = await firstFailure(create);
      expect(failure?.violations.join()).toMatch(violation);
      expect(failure?.trace.length).toBeLessThan(SHORT_TRACE);
      expect(failure?.trace.at(-1)).toMatch(/: receive -> /);
    },
  );

  it("plays a failing history once only, where it is told not to look for a shorter one", async () => {
    const failureOf = async (options: Partial<SimulationOptions>) => {
      let played = 0;
      const forgetful: CreateBackend = (clock) => {
        played += 1;
        const { operations, ...backend } = createMemoryBackend({ clock });
        const settle = async () => ({ outcome: "settled", state: "completed" }) as const;
        return { ...backend, operations: replacing(operations, { settle }) };
      };
      const failure = await simulate(forgetful, { seed: 1, ...options }).catch((error: unknown) => error);
      return { failure: failure as SimulationFailure, played };
    };
    const [whole, shrunk] = [await failureOf({ shrink: false }), await failureOf({})];
    expect(whole.played).toBe(1);
    expect(whole.failure).toBeInstanceOf(SimulationFailure);
    expect(shrunk.played).toBeGreaterThan(1);
    expect(shrunk.failure.trace.length).toBeLessThan(whole.failure.trace.length);
  });
});

async function firstFailure(create: CreateBackend): Promise<SimulationFailure | undefined> {
  for (let seed = 1; seed <= 500; seed += 1) {
    try {
      await simulate(create, { seed });
    } catch (error) {
      if (error instanceof SimulationFailure) return error;
      throw error;
    }
  }
  return undefined;
}
