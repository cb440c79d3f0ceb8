import type { Backend } from "async-request-reply";
import { describe, it } from "vitest";
import { createOperatorStage, type OperatorStage } from "./stage.js";

/** A use of an operator that works on every back end with the required methods. */
export type Scenario = readonly [name: string, run: (stage: OperatorStage) => Promise<void>];

/** Lists scenarios by their names. */
export function scenariosOf(runs: Readonly<Record<string, Scenario[1]>>): readonly Scenario[] {
  return Object.entries(runs);
}

/** Declares scenarios as tests, each with a new back end. */
export function declareScenarios(about: string, scenarios: readonly Scenario[], open: () => Backend): void {
  describe(about, () => {
    it.each(scenarios)("%s", async (_, run) => {
      const backend = open();
      try {
        await run(createOperatorStage(backend));
      } finally {
        await backend.close();
      }
    });
  });
}
