import {
  type CreateBackend,
  SimulationFailure,
  type SimulationOptions,
  simulate,
} from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { plantedAnswers } from "./planted-answers.js";
import { plantedFaults } from "./planted-faults.js";
import { plantedPromises } from "./planted-promises.js";
import { plantedReadings } from "./planted-readings.js";
import { plantedReceipts } from "./planted-receipts.js";
import { plantedSubmissions } from "./planted-submissions.js";
import { plantedTransactions } from "./planted-transactions.js";

/** A short trace has fewer lines than this. */
const SHORT_TRACE = 150;
/** A fault must be detected within this many histories. */
const MAX_SEEDS = 2_000;

describe("the simulator", () => {
  it.each(Object.entries(plantedFaults))("detects that %s", { timeout: 400_000 }, async (_, create) => {
    const failure = await firstFailure(create);
    expect(failure).toBeInstanceOf(SimulationFailure);
    expect(failure?.violations.join()).toMatch(/I([1-7]|11|19|20|21|22): /);
  });

  it.each(
    Object.entries({
      ...plantedReadings,
      ...plantedTransactions,
      ...plantedPromises,
      ...plantedSubmissions,
      ...plantedAnswers,
    }),
  )("detects that %s, with a short trace", { timeout: 400_000 }, async (_, { create, violation }) => {
    expect(await shortFailure(create, violation)).toBeInstanceOf(SimulationFailure);
  });

  it.each(Object.entries(plantedReceipts))(
    "detects that %s, with a short trace",
    { timeout: 400_000 },
    async (_, { create, violation }) => {
      const failure = await shortFailure(create, violation);
      expect(failure?.trace.at(-1)).toMatch(/: receive -> /);
    },
  );
});

/** Returns the first failure. It is not shrunk. */
async function firstFailure(create: CreateBackend): Promise<SimulationFailure | undefined> {
  for (let seed = 1; seed <= MAX_SEEDS; seed += 1) {
    const failure = await failureOf(create, { seed, shrink: false });
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/**
 * Returns a failure that names the violation in a short trace. Skips others: a back end that contradicts
 * itself also answers some requests with 500.
 */
async function shortFailure(
  create: CreateBackend,
  violation: RegExp,
): Promise<SimulationFailure | undefined> {
  for (let seed = 1; seed <= MAX_SEEDS; seed += 1) {
    const found = await failureOf(create, { seed, shrink: false });
    // Shrinking takes as long as hundreds of histories.
    if (found === undefined || !violation.test(found.violations.join())) continue;
    const failure = await failureOf(create, { seed });
    if (failure === undefined || failure.trace.length >= SHORT_TRACE) continue;
    if (violation.test(failure.violations.join())) return failure;
  }
  return undefined;
}

async function failureOf(
  create: CreateBackend,
  options: SimulationOptions,
): Promise<SimulationFailure | undefined> {
  try {
    await simulate(create, options);
    return undefined;
  } catch (error) {
    if (error instanceof SimulationFailure) return error;
    throw error;
  }
}
