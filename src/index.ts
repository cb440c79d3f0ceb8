/**
 * Definitions, services, workers, the memory back end, and the interfaces for your own back ends. Runs on every
 * platform.
 *
 * @module async-request-reply
 */

export {
  createMemoryBackend,
  createMemoryStores,
  type MemoryBackendOptions,
} from "./backends/memory/backend.js";
export type { AwaitUsing } from "./contract/await-using.js";
export {
  defineOperation,
  type JsonSchema,
  type OperationDefinition,
  type OperationDefinitionOptions,
} from "./contract/definition/definition.js";
export type { ChunkOf, InputOf, ProgressOf, ResultOf } from "./contract/definition/definitions.js";
export {
  defineOrders,
  type Order,
  type OrderDefinition,
  type OrderOptions,
} from "./contract/definition/order.js";
export {
  AsyncReplyError,
  type ErrorCode,
  type ErrorContext,
  forbidden,
  isAsyncReplyError,
  permanentFailure,
  retryLater,
  unauthenticated,
} from "./contract/errors.js";
export type { Problem, ProblemName, Violation } from "./contract/problem.js";
export type { StandardSchema } from "./contract/schema.js";
export type { Format } from "./formats/format.js";
export {
  allowAnonymous,
  apiKey,
  bearer,
  type KnownCredentials,
  type Verify,
} from "./http/access/credentials.js";
export type { HttpRequest, HttpResponse, RequestContext } from "./http/message/message.js";
export type { Admit, Refusal } from "./http/settings.js";
export { createConsoleObserver } from "./observing/console-observer.js";
export { type Logger, logEvents } from "./observing/log-events.js";
export type {
  Authorization,
  AuthorizationRequest,
  Authorize,
  Principal,
} from "./ports/authorize.js";
export type { Backend, TransactionOptions } from "./ports/backend.js";
export type { CreateContext, CreatedResource, CreateResource } from "./ports/create.js";
export type { IdempotencyStore } from "./ports/idempotency-store.js";
export type { Observer, ServiceEvent } from "./ports/observer.js";
export type { OperationStore } from "./ports/operation-store.js";
export type { Queue } from "./ports/queue.js";
export type { Clock, Runtime } from "./ports/runtime.js";
export { composeStores } from "./protocol/compose-stores.js";
export { withQueue } from "./protocol/with-queue.js";
export { createService, type ServiceOptions } from "./service/create-service.js";
export { getOperation, submitOrder } from "./service/handlers.js";
export { createOrderService, type OrderServiceOptions } from "./service/order-service.js";
export type { PreparedSubmission } from "./service/prepare.js";
export type {
  CancelResult,
  InProcessService,
  OperationView,
  Service,
  SubmitOptions,
} from "./service/service.js";
export type { Submitted } from "./service/submit.js";
export type { SubmitOutcome } from "./service/submit-many.js";
export type { Job, Processor } from "./worker/attempt/job.js";
export type { JobOf } from "./worker/attempt/job-of.js";
export type { Processors } from "./worker/processors.js";
export type { RunSummary } from "./worker/run-summary.js";
export type { ProcessorOptions, WorkerOptions } from "./worker/settings.js";
export { createWorker, type Worker } from "./worker/worker.js";
export type { WorkerSource } from "./worker/worker-source.js";
