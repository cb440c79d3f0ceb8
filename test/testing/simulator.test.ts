import { createMemoryBackend } from "async-request-reply";
import { type CreateBackend, SimulationFailure, simulate } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { plantedFaults } from "./planted-faults.js";

const SCHEDULES = 1_000;

const composed: CreateBackend = (clock) => {
  const { submissions: _, ...backend } = createMemoryBackend({ clock });
  return backend;
};
const atomic: CreateBackend = (clock) => createMemoryBackend({ clock });

describe("the simulator", () => {
  it.each([
    ["with key and operation recorded one after the other", composed],
    ["with key and operation recorded in one step", atomic],
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
