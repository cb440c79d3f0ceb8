import { createMemoryBackend } from "async-request-reply";
import { simulate } from "async-request-reply/testing";
import { expect, it } from "vitest";

const FIRST_SEED = Number(process.env.TORTURE_SEED ?? Date.now() % 1_000_000_000);
const SCHEDULES = Number(process.env.TORTURE_SCHEDULES ?? 100_000);

it(`the contract holds in ${SCHEDULES} histories from seed ${FIRST_SEED} on`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed += 1) {
    // Every other pair of seeds records key and operation in one step, so that both ways meet both kinds of reply.
    const atomic = seed % 4 < 2;
    await simulate(
      (clock) => {
        const { submissions, ...composed } = createMemoryBackend({ clock });
        return atomic && submissions !== undefined ? { ...composed, submissions } : composed;
      },
      { seed },
    );
  }
  expect(SCHEDULES).toBeGreaterThan(0);
});
