import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, it } from "vitest";
import { operationStoreCases } from "../../src/testing/suites/operation-store-suite.js";
import type { Capability } from "../../src/testing/suites/port-case.js";
import { queueCases } from "../../src/testing/suites/queue-suite.js";
import { submissionsCases } from "../../src/testing/suites/submissions-suite.js";
import { isNight } from "../support/effort.js";
import type { CaseResult } from "./inside/run-case.js";
import { isSkipped, programOf, type Runtime } from "./matrix.js";
import { openProject, type Project } from "./project.js";
import { sqliteRuntimes } from "./sqlite-clients.js";

const HISTORIES = isNight ? 20 : 5;

let project: Project;
beforeAll(async () => {
  project = await openProject();
});
afterAll(() => project?.remove());

describe.concurrent("the SQLite back end of the packed package", () => {
  for (const { runtime, client } of sqliteRuntimes)
    it.skipIf(isSkipped(runtime))(
      `passes the suites of all ports and ${HISTORIES} histories with ${client} of ${runtime.name}`,
      async ({ expect }) => {
        const args = [...runtime.options, "suites-on-sqlite.mjs", client, String(HISTORIES)];
        const results = await run(runtime, args);
        expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
        expect(results.map(({ name, outcome }) => ({ name, outcome }))).toEqual(expected);
      },
    );
});

async function run(runtime: Runtime, args: readonly string[]): Promise<readonly CaseResult[]> {
  const { stdout } = await promisify(execFile)(programOf(runtime), args, {
    cwd: project.folder,
    env: project.env,
    timeout: 200_000,
    killSignal: "SIGKILL",
    maxBuffer: 2 ** 26,
  });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CaseResult);
}

const MISSING: readonly Capability[] = ["fills"];

const expected = [
  ...[...operationStoreCases, ...submissionsCases, ...queueCases].map(({ rule, needs = [] }) => ({
    name: rule,
    outcome: needs.some((capability) => MISSING.includes(capability)) ? "skipped" : "passed",
  })),
  ...Array.from({ length: HISTORIES }, (_, index) => ({ name: `history ${index + 1}`, outcome: "passed" })),
];
