import type { Backend } from "async-request-reply";
import { describe, it } from "vitest";
import { createOperatorStage, type OperatorStage } from "./stage.js";

/** Something that an operator can do on every back end that has the methods for it. */
export interface Scenario {
  readonly name: string;
  run(stage: OperatorStage): Promise<void>;
}

/** Declares scenarios as tests, each on a back end of its own. */
export function declareScenarios(about: string, scenarios: readonly Scenario[], open: () => Backend): void {
  describe(about, () => {
    it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("%s", async (_, { run }) => {
      const backend = open();
      try {
        await run(createOperatorStage(backend));
      } finally {
        await backend.close();
      }
    });
  });
}
