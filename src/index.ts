/**
 * Handlers, definitions, the worker, the memory back end, and the ports. Runs on every platform.
 *
 * @module async-request-reply
 */

export { createMemoryBackend, type MemoryBackendOptions } from "./backends/memory/index.js";
export { type Announcement, parseAnnouncement } from "./core/announcement.js";
export type { BackoffOptions } from "./core/backoff.js";
export {
  type CreateContext,
  type CreatedResource,
  type CreateResource,
  defineOperation,
  type JsonSchema,
  type OperationDefinition,
  type OperationDefinitionOptions,
} from "./core/definition.js";
export type { Deprecation } from "./core/deprecation.js";
export {
  AsyncReplyError,
  type ErrorCode,
  type ErrorContext,
  forbidden,
  isAsyncReplyError,
  permanentFailure,
  unauthenticated,
  type Violation,
} from "./core/errors.js";
export type {
  JsonText,
  NewOperation,
  Operation,
  OperationState,
  OperationStatus,
  Settlement,
} from "./core/operation.js";
export { defineOrders, type Order, type OrderDefinition, type OrderOptions } from "./core/order.js";
export { type Problem, type ProblemName, problemType } from "./core/problem.js";
export type { RetryAfterEstimate } from "./core/retry-after.js";
export type { InferOutput, StandardIssue, StandardResult, StandardSchema } from "./core/standard-schema.js";
export type { Format, ParseContext, Representation, SerializeContext } from "./formats/format.js";
export { cancelOperation } from "./http/cancel-operation.js";
export type {
  Service,
  SubmissionOf,
  SubmitInTransactionOptions,
  SubmittedInTransaction,
} from "./http/context.js";
export { allowAnonymous, apiKey, bearer, type KnownCredentials, type Verify } from "./http/credentials.js";
export { getOperation } from "./http/get-operation.js";
export type {
  BodyReader,
  HeaderFields,
  HttpRequest,
  HttpResponse,
  JoinedFields,
  RequestContext,
} from "./http/message.js";
export {
  createOrderService,
  createService,
  type OrderServiceOptions,
  type ServiceOptions,
} from "./http/service.js";
export type { Admit, Refusal, ServiceSettings, SettingsOptions } from "./http/settings.js";
export { submitOperation, submitOrder } from "./http/submit-operation.js";
export type {
  Authorization,
  AuthorizationRequest,
  Authorize,
  Principal,
  SecurityScheme,
} from "./ports/authorize.js";
export type { Backend, RecordResult, Submission, Submissions, Transactions } from "./ports/backend.js";
export type { Claim, ClaimResult, IdempotencyStore, KeyReference } from "./ports/idempotency-store.js";
export { type Logger, logEvents, type Observer, type ServiceEvent } from "./ports/observer.js";
export type {
  BeginResult,
  CancelOutcome,
  CreateOutcome,
  DueOperation,
  ExpiredOperation,
  InitialState,
  Lease,
  ListRequest,
  OperationStore,
  RenewResult,
  SettleResult,
} from "./ports/operation-store.js";
export type { BegunAttempt, Delivery, Queue, ReceiveRequest } from "./ports/queue.js";
export type { Clock, Runtime } from "./ports/runtime.js";
export type { Announcer } from "./steps/announcer.js";
export type { Job, Processor, RunInTransaction } from "./worker/job.js";
export type { WorkerOptions } from "./worker/settings.js";
export { createWorker, type Processors, type Worker, type WorkerSource } from "./worker/worker.js";
