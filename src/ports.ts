/**
 * Types and functions for authors of back ends, queues, formats, adapters and subscribers, in addition to the main entry
 * point. Runs on every platform.
 *
 * @module async-request-reply/ports
 */

export type { CheckedInput, CheckedPath } from "./contract/definition/checked-types.js";
export type {
  CheckpointInputOf,
  CheckpointOf,
  ChunkInputOf,
  Definitions,
  Named,
  NameOf,
  ParsedInputOf,
  ProcessorProgressOf,
  ProcessorResultOf,
  ViewOf,
} from "./contract/definition/definitions.js";
export type { Deprecation } from "./contract/definition/deprecation.js";
export type { OperationLimits } from "./contract/definition/limits.js";
export type { OrderSchema } from "./contract/definition/order.js";
export type { PathFields, UnboundPathFields } from "./contract/definition/path-pattern.js";
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
export type { OutputPart, OutputPosition } from "./contract/output.js";
export { CANCELLED, EXPIRED, problemType } from "./contract/problem.js";
export type {
  InferInput,
  InferOutput,
  StandardIssue,
  StandardResult,
} from "./contract/schema.js";
export type { ParseContext, ParsedBody, Representation, SerializeContext } from "./formats/format.js";
export type { ApiKeyOptions } from "./http/access/credentials.js";
export type { BodyReader, HeaderFields, JoinedFields } from "./http/message/message.js";
export type { ServiceSettings, SettingsOptions } from "./http/settings.js";
export type {
  Action,
  ActionKind,
  ActionsRequest,
  ActionsStore,
  RecordedAction,
} from "./ports/actions-store.js";
export type { SecurityScheme } from "./ports/authorize.js";
export type { IsolationLevel, SeparateStores, Submissions, Transactions } from "./ports/backend.js";
export type {
  BegunOperation,
  Claimed,
  ClaimedDefinition,
  ClaimRequest,
  DueOperation,
  RunningLimits,
} from "./ports/claim.js";
export type { AnyCreate, AnyCreators, CreateContextBase, Creators } from "./ports/create.js";
export type { Histogram } from "./ports/histogram.js";
export type {
  Abandoned,
  AbandonedRequest,
  BindResult,
  KeyBinding,
  KeyReference,
} from "./ports/idempotency-store.js";
export type {
  MinuteRow,
  MinutesRequest,
  MinutesStore,
  StepWork,
  Work,
  WorkCounts,
  WorkTimes,
} from "./ports/minutes-store.js";
export type { ActedEvent, AttemptEvent, OperationEvent, RunEvent, TimedEvent } from "./ports/observer.js";
export type {
  BoundedCount,
  DefinitionStats,
  InspectedOperation,
  InspectRequest,
  ListedOperation,
  ListPosition,
  ListRequest,
  Pause,
  PendingRequest,
} from "./ports/operation-reads.js";
export type {
  CancelOutcome,
  CreateOutcome,
  InitialState,
  Kept,
  Lease,
  OverdueOperation,
  RedriveResult,
  Renewal,
  RenewResult,
  SettleResult,
} from "./ports/operation-store.js";
export type {
  AppendResult,
  OutputAppend,
  OutputRequest,
  OutputSlice,
  OutputState,
  OutputStore,
} from "./ports/output-store.js";
export type { Listening, RingListener } from "./ports/queue.js";
export { parseRingMessage, type Ring, toRingMessage } from "./ports/ring.js";
export type { ExpiredOperation, SeparateOperationStore } from "./ports/separate-operation-store.js";
export type { RecordManyResult, RecordResult, Submission } from "./ports/submission.js";
export type {
  AsyncHandle,
  PreparedRecord,
  Sync,
  SyncHandle,
  SynchronousTransactions,
} from "./ports/synchronous.js";
export { cancelOperation, listOperations, submitOperation } from "./service/handlers.js";
export type {
  CallsWithoutTenant,
  Mountable,
  PrepareOptions,
  ServiceFor,
  SubmissionItem,
  SubmitManyOptions,
  TransactionOption,
  WithHook,
} from "./service/service.js";
export type { SubmissionOptions } from "./service/submission-options.js";
export type {
  AttemptMessage,
  AttemptOutcome,
  DeliverMessage,
  ProcessMessage,
  SettleMessage,
  SubmitMessage,
  TracedWork,
} from "./telemetry/messages.js";
export type {
  MustBeSynchronous,
  NotAPromise,
  RunAsynchronously,
  RunInTransaction,
  RunSynchronously,
} from "./worker/attempt/job.js";
export type { MembersOf } from "./worker/attempt/job-of.js";
export type {
  Checkpoints,
  SaveAlone,
  SaveAsynchronously,
  SaveCheckpoint,
  SaveSynchronously,
  Writes,
} from "./worker/attempt/output/job-members.js";
export type { BackoffOptions } from "./worker/backoff.js";
export type { ProcessorFunctionOf, ProcessorOf } from "./worker/processors.js";
