import {
  idempotencyStoreCases,
  operationStoreCases,
  queueCases,
  submissionsCases,
} from "async-request-reply/testing";
import { runSuite } from "../../support/run-suite.js";
import { type Fresh, harnessOf, queueHarness } from "./harnesses.js";

/** Declares the suites of all ports as tests of the back ends from `open`. */
export function runPortSuites(open: () => Promise<Fresh>): void {
  const operations = harnessOf(open, (backend) => backend.operations);
  const idempotency = harnessOf(open, (backend) => backend.idempotency);
  const submissions = harnessOf(open, (backend) => backend.submissions);
  runSuite("operation store", operationStoreCases, operations);
  runSuite("idempotency store", idempotencyStoreCases, idempotency);
  runSuite("submissions", submissionsCases, submissions);
  runSuite("queue", queueCases, queueHarness(open));
}
