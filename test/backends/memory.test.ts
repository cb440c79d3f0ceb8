import {
  idempotencyStoreCases,
  operationStoreCases,
  queueCases,
  submissionsCases,
} from "async-request-reply/testing";
import {
  memoryIdempotency,
  memoryOperations,
  memoryQueue,
  memorySubmissions,
} from "../support/memory-harnesses.js";
import { runSuite } from "../support/run-suite.js";

runSuite("the operation store in memory", operationStoreCases, memoryOperations());
runSuite("the idempotency store in memory", idempotencyStoreCases, memoryIdempotency());
runSuite("the queue in memory", queueCases, memoryQueue());
runSuite("RECORD and purge in memory", submissionsCases, memorySubmissions());
