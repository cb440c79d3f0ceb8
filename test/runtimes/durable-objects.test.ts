import { describe, expect, it } from "vitest";
import { operationStoreCases } from "../../src/testing/suites/operation-store-suite.js";
import { outputStoreCases } from "../../src/testing/suites/output-store-suite.js";
import type { PortCase } from "../../src/testing/suites/port-case.js";
import { submissionsCases } from "../../src/testing/suites/submissions-suite.js";
import { storeCases } from "../support/adapter-suite/cases.js";
import { isNight } from "../support/effort.js";
import type { CaseResult } from "./inside/run-case.js";
import { isSkipped, workerd } from "./matrix.js";
import { useProject, workers } from "./project.js";
import { useServer } from "./server-process.js";

const HISTORIES = isNight ? 150 : 30;

const project = useProject();
const args = [...workerd.options, "--experimental"];

describe.skipIf(isSkipped(workerd))("the back end on Durable Objects of the packed package", () => {
  const server = useServer(project, {
    name: "suites in an object",
    runtime: workerd,
    args,
    folder: workers.suitesInObject,
  });

  const resultOf = async (suite: string, place: number): Promise<CaseResult> =>
    (await (await fetch(`${server().baseUrl}/${suite}/${place}`)).json()) as CaseResult;

  it.each<readonly [string, readonly Pick<PortCase<never>, "rule" | "needs">[]]>([
    ["operations", operationStoreCases],
    ["submissions", submissionsCases],
    ["output", outputStoreCases],
  ])("passes the suite of %s", async (suite, cases) => {
    const results = await Promise.all(cases.map((_, place) => resultOf(suite, place)));
    expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    const expected = cases.map(({ rule, needs = [] }) => [
      rule,
      needs.includes("fills") ? "skipped" : "passed",
    ]);
    expect(results.map(({ name, outcome }) => [name, outcome])).toEqual(expected);
  });

  it("passes the cases of the adapter suite whose replies depend on a store", async () => {
    const results = await Promise.all(storeCases.map((_, place) => resultOf("adapter", place)));
    const expected = storeCases.map(({ name, needs = [] }) => [
      name,
      // There are no sockets inside an object.
      needs.includes("sockets") || needs.includes("fieldLines") ? "skipped" : "passed",
    ]);
    expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect(results.map(({ name, outcome }) => [name, outcome])).toEqual(expected);
  });

  it(`finds no violation in ${HISTORIES} histories`, { timeout: 600_000 }, async () => {
    const failed: CaseResult[] = [];
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const result = await resultOf("history", seed);
      if (result.outcome !== "passed") failed.push(result);
    }
    expect(failed).toEqual([]);
  });
});
