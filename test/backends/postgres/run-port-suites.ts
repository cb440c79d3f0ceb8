import {
  actionsStoreCases,
  minutesStoreCases,
  operationStoreCases,
  outputStoreCases,
  queueCases,
  submissionsCases,
} from "async-request-reply/testing";
import { runSuite } from "../../support/run-suite.js";
import { harnessOf, type Openings, queueHarness } from "./harnesses.js";

/** Declares the suites of all ports as tests of the back ends from `openings`. */
export function runPortSuites(openings: Openings): void {
  const operations = harnessOf(openings, (backend) => backend.operations);
  runSuite("operation store", operationStoreCases, operations);
  runSubmissionsSuite(openings);
  runSuite(
    "output store",
    outputStoreCases,
    harnessOf(openings, (backend) => backend),
  );
  runSuite(
    "store of minutes",
    minutesStoreCases,
    harnessOf(openings, (backend) => backend),
  );
  runSuite(
    "store of actions",
    actionsStoreCases,
    harnessOf(openings, (backend) => backend),
  );
  runSuite("queue", queueCases, queueHarness(openings));
}

/** Declares the suite of submissions, which is all that another client changes about a back end. */
export function runSubmissionsSuite(openings: Openings): void {
  runSuite(
    "submissions",
    submissionsCases,
    harnessOf(openings, (backend) => backend),
  );
}
