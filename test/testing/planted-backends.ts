import type { Planted } from "./pinned-seeds.js";
import { plantedAnswers } from "./planted-answers.js";
import { plantedClaims } from "./planted-claims.js";
import { plantedFaults } from "./planted-faults.js";
import { plantedOutputs } from "./planted-outputs.js";
import { plantedPromises } from "./planted-promises.js";
import { plantedReadings } from "./planted-readings.js";
import type { PlantedStore } from "./planted-stores.js";
import { plantedSubmissions } from "./planted-submissions.js";
import { plantedTransactions } from "./planted-transactions.js";

/** A back end with one mistake. */
type PlantedBackend = Planted & PlantedStore;

type Table = Readonly<Record<string, PlantedBackend>>;

/** All back ends with a mistake, by name, in the sections of the pinned seeds. */
export const plantedBackends = {
  answers: each(plantedAnswers, short),
  claims: each(plantedClaims, short),
  faults: each(plantedFaults, (create) => ({ create, violation: /I([1-7]|11|19|20|21|22|27): / })),
  outputs: each(plantedOutputs, short),
  promises: each(plantedPromises, short),
  readings: each(plantedReadings, short),
  submissions: each(plantedSubmissions, short),
  transactions: each(plantedTransactions, short),
};

function short(planted: PlantedBackend): PlantedBackend {
  return { hasShortTrace: true, ...planted };
}

function each<Given>(
  table: Readonly<Record<string, Given>>,
  toPlanted: (given: Given) => PlantedBackend,
): Table {
  return Object.fromEntries(Object.entries(table).map(([name, given]) => [name, toPlanted(given)]));
}
