import { readingScenarios } from "../../operator/reading.js";
import { redrivingScenarios } from "../../operator/redriving.js";
import { redrivingManyScenarios } from "../../operator/redriving-many.js";
import { declareScenarios } from "../../operator/scenarios.js";
import { describePostgres } from "../../support/postgres/server.js";

const scenarios = [...readingScenarios, ...redrivingScenarios, ...redrivingManyScenarios];

await describePostgres("an operator, on Postgres", (server) => {
  declareScenarios("keeps its promises", scenarios, () => server.open());
});
