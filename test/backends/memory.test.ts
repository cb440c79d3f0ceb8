import {
  actionsStoreCases,
  idempotencyStoreCases,
  minutesStoreCases,
  operationStoreCases,
  outputStoreCases,
  queueCases,
  separateOperationStoreCases,
  submissionsCases,
} from "async-request-reply/testing";
import {
  memoryActions,
  memoryIdempotency,
  memoryMinutes,
  memoryOperations,
  memoryOutput,
  memoryQueue,
  memorySubmissions,
} from "../support/memory-harnesses.js";
import { runSuite } from "../support/run-suite.js";

runSuite("the operation store in memory", operationStoreCases, memoryOperations());
runSuite("the operation store in memory, used singly", separateOperationStoreCases, memoryOperations());
runSuite("the idempotency store in memory", idempotencyStoreCases, memoryIdempotency());
runSuite("the queue in memory", queueCases, memoryQueue());
runSuite("RECORD and purge in memory", submissionsCases, memorySubmissions());
runSuite("the output store in memory", outputStoreCases, memoryOutput());
runSuite("the store of minutes in memory", minutesStoreCases, memoryMinutes());
runSuite("the store of actions in memory", actionsStoreCases, memoryActions());
