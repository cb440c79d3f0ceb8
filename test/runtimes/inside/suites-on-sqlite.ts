import { createSqliteBackend } from "async-request-reply/sqlite";
import {
  operationStoreCases,
  type PortCase,
  type PortHarness,
  queueCases,
  runnableCases,
  simulate,
  submissionsCases,
} from "async-request-reply/testing";
import { harnessOf, queueHarness } from "../../backends/sqlite/harnesses.js";
import type { OpenDatabase, SqliteClient } from "../../support/sqlite/clients.js";
import { type CaseResult, runCase } from "./run-case.js";
import { openFile } from "./sqlite-client.js";

const [, , name = "", histories = ""] = process.argv;

// Prints one line of JSON per case.
await runAll({ name, open: (path) => openFile(name, path) }, (result) => console.log(JSON.stringify(result)));

async function runAll(client: SqliteClient, report: (result: CaseResult) => void): Promise<void> {
  const operations = harnessOf(client, (backend) => backend.operations);
  const submissions = harnessOf(client, (backend) => backend);
  await runSuite(operationStoreCases, operations, report);
  await runSuite(submissionsCases, submissions, report);
  await runSuite(queueCases, queueHarness(client), report);
  for (let seed = 1; seed <= Number(histories); seed += 1) {
    report(await runCase(`history ${seed}`, () => playHistory(client, seed)));
  }
}

async function runSuite<Harness extends PortHarness<unknown>>(
  cases: readonly PortCase<Harness>[],
  harness: Harness,
  report: (result: CaseResult) => void,
): Promise<void> {
  for (const { case: each, skipped } of runnableCases(cases, harness)) {
    if (skipped === undefined) report(await runCase(each.rule, () => each.run(harness)));
    else report({ name: each.rule, outcome: "skipped", because: skipped });
  }
}

async function playHistory(client: SqliteClient, seed: number): Promise<void> {
  const opened: OpenDatabase[] = [];
  await simulate(
    (clock) => {
      const database = client.open(":memory:");
      opened.push(database);
      return createSqliteBackend({ database, runtime: { clock } });
    },
    { seed, shrink: false },
  );
  for (const database of opened) database.close();
}
