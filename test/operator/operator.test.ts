import { createMemoryBackend } from "async-request-reply";
import { explainingScenarios } from "../support/operator/explaining.js";
import { groupingScenarios } from "../support/operator/grouping.js";
import { pausingScenarios } from "../support/operator/pausing.js";
import { readingScenarios } from "../support/operator/reading.js";
import { redrivingScenarios } from "../support/operator/redriving.js";
import { redrivingManyScenarios } from "../support/operator/redriving-many.js";
import { declareScenarios } from "../support/operator/scenarios.js";

const scenarios = [
  ...readingScenarios,
  ...groupingScenarios,
  ...explainingScenarios,
  ...redrivingScenarios,
  ...redrivingManyScenarios,
  ...pausingScenarios,
];
declareScenarios("an operator, on memory", scenarios, () => createMemoryBackend());
