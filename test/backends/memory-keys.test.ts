import fc from "fast-check";
import { expect, it } from "vitest";
import { storesOnClock } from "../support/memory-harnesses.js";

/** Short names from few characters, so that different keys often look alike when joined. */
const name = fc.string({ unit: fc.constantFrom(":", "0", "1", "a"), maxLength: 3 });

const references = fc.uniqueArray(fc.record({ tenant: name, definition: name, key: name }), {
  selector: (reference) => JSON.stringify(reference),
  minLength: 100,
  maxLength: 200,
});

it("never confuses two references whose parts differ", async () => {
  await fc.assert(
    fc.asyncProperty(references, async (different) => {
      const { idempotency } = storesOnClock();
      const confused: unknown[] = [];
      for (const [index, reference] of different.entries()) {
        const binding = { ...reference, fingerprint: "1:a", operationId: `${index}` };
        const { outcome } = await idempotency.bind(binding);
        if (outcome !== "bound") confused.push(reference);
      }
      expect(confused).toEqual([]);
    }),
  );
});
