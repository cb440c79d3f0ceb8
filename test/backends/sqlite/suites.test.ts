import {
  actionsStoreCases,
  minutesStoreCases,
  operationStoreCases,
  outputStoreCases,
  queueCases,
  submissionsCases,
} from "async-request-reply/testing";
import { runSuite } from "../../support/run-suite.js";
import { describeClients } from "../../support/sqlite/clients.js";
import { harnessOf, queueHarness } from "./harnesses.js";

describeClients("the back end on an SQLite file", (client) => {
  const operations = harnessOf(client, (backend) => backend.operations);
  const submissions = harnessOf(client, (backend) => backend);
  runSuite("operation store", operationStoreCases, operations);
  runSuite("submissions", submissionsCases, submissions);
  runSuite("output store", outputStoreCases, submissions);
  runSuite("store of minutes", minutesStoreCases, submissions);
  runSuite("store of actions", actionsStoreCases, submissions);
  runSuite("queue", queueCases, queueHarness(client));
});
