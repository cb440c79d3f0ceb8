import { createMemoryStores } from "async-request-reply";
import { simulate } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { faultsOf, injectedFaults } from "./injected-faults.js";
import { outdatedPin } from "./pinned-seeds.js";
import pins from "./pinned-seeds.json" with { type: "json" };

describe("the simulator", () => {
  it.each(Object.entries(injectedFaults))(
    "injects every fault into every call of %s",
    async (name, given) => {
      const seeds = (pins.fates as Readonly<Record<string, readonly number[]>>)[name] ?? [];
      const missing = new Set(given.faults);
      for (const seed of seeds) for (const fault of await faultsOf(given, seed)) missing.delete(fault);
      expect([...missing], outdatedPin("The pinned seeds no longer inject every fault.")).toEqual([]);
    },
  );

  it("freezes processes", async () => {
    let freezes = false;
    for (let seed = 1; seed <= 20 && !freezes; seed += 1) {
      const { trace } = await simulate((clock) => createMemoryStores({ clock }), { seed });
      freezes = trace.some((line) => line.endsWith("freezes"));
    }
    expect(freezes).toBe(true);
  });
});
