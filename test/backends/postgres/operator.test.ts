import { beforeEach } from "vitest";
import { explainingScenarios } from "../../support/operator/explaining.js";
import { groupingScenarios } from "../../support/operator/grouping.js";
import { pausingScenarios } from "../../support/operator/pausing.js";
import { readingScenarios } from "../../support/operator/reading.js";
import { redrivingScenarios } from "../../support/operator/redriving.js";
import { redrivingManyScenarios } from "../../support/operator/redriving-many.js";
import { declareScenarios } from "../../support/operator/scenarios.js";
import { declarePauseOfProcesses } from "../../support/pause-processes.js";
import { describePostgres } from "../../support/postgres/server.js";

const scenarios = [
  ...readingScenarios,
  ...groupingScenarios,
  ...explainingScenarios,
  ...redrivingScenarios,
  ...redrivingManyScenarios,
];

await describePostgres("an operator, on Postgres", (server) => {
  declareScenarios("keeps its promises", scenarios, () => server.open());
  // A worker that polls would notice the end of a pause without being woken up.
  declareScenarios("pauses", pausingScenarios, () => server.open({ pollIntervalMs: 60_000 }));
});

await describePostgres("a pause on Postgres", (server) => {
  let schema: string;
  beforeEach(() => {
    schema = server.newSchema();
  });

  // A worker that polls would notice the end of a pause without being woken up.
  declarePauseOfProcesses(() => server.open({ schema, pollIntervalMs: 600_000 }));
});
