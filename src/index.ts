/**
 * Definitions, services, workers, the memory back end, and the interfaces for your own back ends. Runs on every
 * platform.
 *
 * @module async-request-reply
 */

export { createMemoryBackend, type MemoryBackendOptions } from "./backends/memory/index.js";
export {
  type CheckedInput,
  type CheckedPath,
  defineOperation,
  type JsonSchema,
  type OperationDefinition,
  type OperationDefinitionOptions,
} from "./contract/definition/definition.js";
export type {
  Definitions,
  InputOf,
  Named,
  NameOf,
  ParsedInputOf,
  ProcessorProgressOf,
  ProcessorResultOf,
  ProgressOf,
  ResultOf,
} from "./contract/definition/definitions.js";
export type { Deprecation } from "./contract/definition/deprecation.js";
export type { ViewOf } from "./contract/definition/operation-view.js";
export {
  defineOrders,
  type Order,
  type OrderDefinition,
  type OrderOptions,
  type OrderSchema,
} from "./contract/definition/order.js";
export type { PathFields, UnboundPathFields } from "./contract/definition/path-pattern.js";
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
export type { Json, NotJson } from "./contract/json/json-types.js";
export type {
  FollowUp,
  JsonText,
  NewOperation,
  Operation,
  OperationState,
  OperationStatus,
  Settlement,
} from "./contract/operation.js";
export { type Problem, type ProblemName, problemType } from "./contract/problem.js";
export type {
  InferInput,
  InferOutput,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from "./contract/schema/standard-schema.js";
export type { Violation } from "./contract/violation.js";
export type { Format, ParseContext, ParsedBody, Representation, SerializeContext } from "./formats/format.js";
export {
  type ApiKeyOptions,
  allowAnonymous,
  apiKey,
  bearer,
  type KnownCredentials,
  type Verify,
} from "./http/access/credentials.js";
export type {
  CallsWithoutTenant,
  InProcessService,
  Mountable,
  OperationView,
  PrepareOptions,
  Service,
  ServiceFor,
  SubmissionOptions,
  SubmitOptions,
  WithHook,
} from "./http/context.js";
export type {
  BodyReader,
  HeaderFields,
  HttpRequest,
  HttpResponse,
  JoinedFields,
  RequestContext,
} from "./http/message/message.js";
export { cancelOperation } from "./http/operation/cancel-operation.js";
export { getOperation } from "./http/operation/get-operation.js";
export { listOperations } from "./http/operation/list-operations.js";
export { createOrderService, type OrderServiceOptions } from "./http/order-service.js";
export { createService, type ServiceOptions } from "./http/service.js";
export type { Admit, Refusal, ServiceSettings, SettingsOptions } from "./http/settings.js";
export { submitOperation, submitOrder } from "./http/submit/submit-operation.js";
export type { PreparedSubmission } from "./in-process/prepare.js";
export type { Submitted } from "./in-process/submit.js";
export { createConsoleObserver } from "./observing/console-observer.js";
export { type Logger, logEvents } from "./observing/log-events.js";
export { type Announced, type Announcement, parseAnnouncement } from "./ports/announcement.js";
export type {
  Authorization,
  AuthorizationRequest,
  Authorize,
  Principal,
  SecurityScheme,
} from "./ports/authorize.js";
export {
  type Backend,
  type IsolationLevel,
  type RecordResult,
  type Submission,
  type Submissions,
  type TransactionOptions,
  type Transactions,
  withQueue,
  withStores,
} from "./ports/backend.js";
export type {
  AnyCreate,
  AnyCreators,
  CreateContext,
  CreateContextBase,
  CreatedResource,
  CreateResource,
  Creators,
} from "./ports/create.js";
export type { Claim, ClaimResult, IdempotencyStore, KeyReference } from "./ports/idempotency-store.js";
export type { Observer, ServiceEvent } from "./ports/observer.js";
export type {
  AttemptRequest,
  BeginResult,
  BoundedCount,
  CancelOutcome,
  CreateOutcome,
  DefinitionStats,
  DueOperation,
  ExpiredOperation,
  InitialState,
  Lease,
  ListedOperation,
  ListPosition,
  ListRequest,
  OperationStore,
  RedriveResult,
  Renewal,
  RenewResult,
  SettleResult,
} from "./ports/operation-store.js";
export type {
  BegunAttempt,
  ConsumedDefinition,
  Consumer,
  Delivery,
  Queue,
  ReceiveRequest,
} from "./ports/queue.js";
export type { Clock, Runtime } from "./ports/runtime.js";
export type {
  AsyncHandle,
  PreparedRecord,
  Sync,
  SyncHandle,
  SynchronousTransactions,
} from "./ports/synchronous.js";
export type { Announcer } from "./protocol/announcer.js";
export type { Lifecycle } from "./protocol/lifecycle.js";
export type { RetryAfterEstimate } from "./protocol/retry-after.js";
export type {
  AttemptMessage,
  AttemptOutcome,
  DeliverMessage,
  ProcessMessage,
  SettleMessage,
  SubmitMessage,
  TracedWork,
} from "./telemetry/messages.js";
export type { Hub, Interest, Subscription } from "./waiting/hub.js";
export type { WaitLimits } from "./waiting/limits.js";
export type {
  Job,
  MustBeSynchronous,
  NotAPromise,
  Processor,
  RunAsynchronously,
  RunInTransaction,
  RunSynchronously,
} from "./worker/attempt/job.js";
export type { BackoffOptions } from "./worker/backoff.js";
export type { ProcessorOf, Processors } from "./worker/processors.js";
export type { ProcessorOptions, WorkerOptions } from "./worker/settings.js";
export { createWorker, type Worker, type WorkerSource } from "./worker/worker.js";
