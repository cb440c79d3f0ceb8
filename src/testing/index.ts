/**
 * Manual clock, conformance suites for back ends, and the simulator. Runs on every platform.
 *
 * @module async-request-reply/testing
 */

export { createManualClock, type ManualClock } from "./manual-clock.js";
export type { SynchronousUserTransactions } from "./simulator/ports/synchronous.js";
export type { UserTransactions } from "./simulator/ports/transactions.js";
export {
  type CreateBackend,
  type SimulatedBackend,
  SimulationFailure,
  type SimulationOptions,
  type SynchronousBackend,
  simulate,
  type TransactionalBackend,
} from "./simulator/simulate.js";
export type { History } from "./simulator/world/history.js";
export {
  type ActionsBackend,
  type ActionsStoreHarness,
  actionsStoreCases,
} from "./suites/actions-store-suite.js";
export { type IdempotencyStoreHarness, idempotencyStoreCases } from "./suites/idempotency-store-suite.js";
export {
  type MinutesBackend,
  type MinutesStoreHarness,
  minutesStoreCases,
} from "./suites/minutes-store-suite.js";
export { type OperationStoreHarness, operationStoreCases } from "./suites/operation-store-suite.js";
export {
  type OutputBackend,
  type OutputStoreHarness,
  outputStoreCases,
} from "./suites/output-store-suite.js";
export {
  type Capabilities,
  type Capability,
  type OpenPort,
  type PortCase,
  type PortHarness,
  type RunnableCase,
  runnableCases,
} from "./suites/port-case.js";
export { type OpenQueue, type QueueHarness, queueCases } from "./suites/queue-suite.js";
export {
  type SeparateOperationStoreHarness,
  separateOperationStoreCases,
} from "./suites/separate-operation-store-suite.js";
export { type Recording, type SubmissionsHarness, submissionsCases } from "./suites/submissions-suite.js";
