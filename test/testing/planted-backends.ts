import type { CreateBackend } from "async-request-reply/testing";
import type { Planted } from "./pinned-seeds.js";
import { plantedAnswers } from "./planted-answers.js";
import { plantedClaims } from "./planted-claims.js";
import { plantedFaults } from "./planted-faults.js";
import { plantedPromises } from "./planted-promises.js";
import { plantedReadings } from "./planted-readings.js";
import { plantedSubmissions } from "./planted-submissions.js";
import { plantedTransactions } from "./planted-transactions.js";

/** A back end with one mistake. */
interface PlantedBackend extends Planted {
  readonly create: CreateBackend;
}

type Table = Readonly<Record<string, PlantedBackend>>;

/** All back ends with a mistake, by name, in the sections of the pinned seeds. */
export const plantedBackends = {
  answers: each(plantedAnswers, (planted) => ({ ...planted, hasShortTrace: true })),
  claims: each(plantedClaims, (planted) => ({ hasShortTrace: true, ...planted })),
  faults: each(plantedFaults, (create) => ({ create, violation: /I([1-7]|11|19|20|21|22|27): / })),
  promises: each(plantedPromises, (planted) => ({ ...planted, hasShortTrace: true })),
  readings: each(plantedReadings, (planted) => ({ ...planted, hasShortTrace: true })),
  submissions: each(plantedSubmissions, (planted) => ({ ...planted, hasShortTrace: true })),
  transactions: each(plantedTransactions, (planted) => ({ ...planted, hasShortTrace: true })),
};

function each<Given>(
  table: Readonly<Record<string, Given>>,
  toPlanted: (given: Given) => PlantedBackend,
): Table {
  return Object.fromEntries(Object.entries(table).map(([name, given]) => [name, toPlanted(given)]));
}
