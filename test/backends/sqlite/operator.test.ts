import { explainingScenarios } from "../../support/operator/explaining.js";
import { groupingScenarios } from "../../support/operator/grouping.js";
import { pausingScenarios } from "../../support/operator/pausing.js";
import { declareScenarios } from "../../support/operator/scenarios.js";
import { declarePauseOfProcesses } from "../../support/pause-processes.js";
import { describeFile } from "./per-test.js";

describeFile("an operator on an SQLite file", (file) => {
  declareScenarios("groups failures", groupingScenarios, () => file.open());
  declareScenarios("explains", explainingScenarios, () => file.open());
  // A worker that polls would notice the end of a pause without being woken up.
  declareScenarios("pauses", pausingScenarios, () => file.open({ pollIntervalMs: 60_000 }));
});

describeFile("a pause on an SQLite file", (file) => declarePauseOfProcesses(() => file.open()));
