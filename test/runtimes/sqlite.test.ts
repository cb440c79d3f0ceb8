import { describe, it } from "vitest";
import { operationStoreCases } from "../../src/testing/suites/operation-store-suite.js";
import type { Capability } from "../../src/testing/suites/port-case.js";
import { queueCases } from "../../src/testing/suites/queue-suite.js";
import { submissionsCases } from "../../src/testing/suites/submissions-suite.js";
import { isNight } from "../support/effort.js";
import { isSkipped } from "./matrix.js";
import { useProject } from "./project.js";
import { sqliteRuntimes } from "./sqlite-clients.js";
import { resultsIn, runProgram } from "./suite-runner.js";

const HISTORIES = isNight ? 20 : 5;

const project = useProject();

describe.concurrent("the SQLite back end of the packed package", () => {
  for (const { runtime, client } of sqliteRuntimes)
    it.skipIf(isSkipped(runtime))(
      `passes the suites of all ports and ${HISTORIES} histories with ${client} of ${runtime.name}`,
      async ({ expect }) => {
        const args = ["suites-on-sqlite.mjs", client, String(HISTORIES)];
        const results = resultsIn(await runProgram(project(), runtime, args));
        expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
        expect(results.map(({ name, outcome }) => ({ name, outcome }))).toEqual(expected);
      },
    );
});

const MISSING: readonly Capability[] = ["fills"];

const expected = [
  ...[...operationStoreCases, ...submissionsCases, ...queueCases].map(({ rule, needs = [] }) => ({
    name: rule,
    outcome: needs.some((capability) => MISSING.includes(capability)) ? "skipped" : "passed",
  })),
  ...Array.from({ length: HISTORIES }, (_, index) => ({ name: `history ${index + 1}`, outcome: "passed" })),
];
