import type { AwaitUsing } from "../contract/await-using.js";
import type { ChunkOf, Definitions, InputOf, ResultOf, ViewOf } from "../contract/definition/definitions.js";
import type { OutputPart } from "../contract/output.js";
import type { ServiceContext } from "../http/context.js";
import type { Router } from "../http/handle.js";
import type { Backend } from "../ports/backend.js";
import type { CancelOutcome } from "../ports/operation-store.js";
import type { AsyncHandle, SyncHandle } from "../ports/synchronous.js";
import type { SHARED } from "../protocol/shared.js";
import type { PreparedSubmission } from "./prepare.js";
import type { SubmissionOptions } from "./submission-options.js";
import type { Submitted } from "./submit.js";
import type { SubmitOutcome } from "./submit-many.js";

/** A service that adapters can mount: any {@link Service}, or an object of yours with the same methods. */
export type Mountable = Pick<Service, "handle"> &
  Partial<Pick<Service, "hasPath" | "definitions">> & {
    /** @internal */
    readonly [SHARED]?: ServiceContext;
  };

/**
 * Options of {@link Service.submit}. `tx` exists only if the back end shares its transactions with asynchronous
 * functions.
 */
export type SubmitOptions<Tx> = SubmissionOptions & TransactionOption<Tx>;

/** The option `tx` of calls that record in your transaction. */
export type TransactionOption<Tx> = [AsyncHandle<Tx>] extends [never]
  ? { readonly tx?: { readonly "this back end shares no transactions with asynchronous functions": never } }
  : {
      /** Your open transaction. The operation is created only if it commits. Default: none. */
      readonly tx?: AsyncHandle<Tx>;
    };

/** Options of {@link Service.submitMany}, for all its items. `principal` is the default of those that name none. */
export type SubmitManyOptions<Tx> = Pick<SubmissionOptions, "tenant" | "principal"> & TransactionOption<Tx>;

/** One item of {@link Service.submitMany}. */
export interface SubmissionItem<Input> extends Omit<SubmissionOptions, "tenant"> {
  /** Input of the definition's schema. */
  readonly input: Input;
}

/** Options of {@link Service.prepare}. It is `never` if the back end shares no synchronous transactions. */
export type PrepareOptions<Tx> = [SyncHandle<Tx>] extends [never] ? never : SubmissionOptions;

/** An operation, as {@link Service.get} returns it. Its JSON is what clients read. */
export type OperationView<Definition> = ViewOf<Definition, Date>;

/** Outcome of {@link Service.cancel}. */
export interface CancelResult<Definition> {
  /**
   * - `cancelled`: the operation has failed with the problem `cancelled`.
   * - `requested`: a worker is running it and learns of the cancellation at once, or at its next lease renewal at the
   *   latest.
   * - `terminal`: the operation had already ended.
   * - `unknown`: this tenant has no such operation of this definition.
   */
  readonly outcome: CancelOutcome;
  /** The operation after the cancellation. Absent if it does not exist. */
  readonly operation?: OperationView<Definition>;
}

/** Accepts work, over HTTP and in process. Created by `createService`. */
export interface Service<List extends Definitions = Definitions, Tx = unknown> extends Router, AwaitUsing {
  /** Definitions that the service accepts, each at its own path. */
  readonly definitions: List;
  /** Back end that stores operations and wakes up workers. */
  readonly backend: Backend<Tx>;
  /** @internal */
  readonly [SHARED]: ServiceContext;
  /**
   * Submits work without HTTP, with the same checks, guarantees and events. `authorize` and `admit` are not called.
   * The input must be JSON, like the result of a processor. If the service has a `create` function for this
   * definition, it runs before the promise resolves, in `tx` if you pass one.
   *
   * With `tx`, everything is written in your transaction, and there is no event. If the call rejects, your
   * transaction stays usable, unless the database itself failed.
   *
   * Throws `CONTRACT_VIOLATION`, `MALFORMED_BODY`, `INVALID_IDEMPOTENCY_KEY`,
   * `MISSING_IDEMPOTENCY_KEY`; `IDEMPOTENCY_KEY_REUSED` if the key belongs to a different input;
   * `SUBMISSION_IN_PROGRESS` if another open transaction holds the key; `CREATION_IN_PROGRESS`, `CREATION_FAILED`;
   * `NO_TRANSACTIONS` if you pass `tx` and the back end shares no transactions; `FORBIDDEN` if `allow` refuses the
   * `webhookUrl`, `AUTHORIZATION_UNAVAILABLE` if it cannot tell; `SUBMISSION_UNCERTAIN`, `STORE_UNAVAILABLE`,
   * `OVERLOADED`; `INVALID_OPTION`; `SERVICE_CLOSED`.
   */
  submit<const Definition extends List[number]>(
    definition: Definition,
    input: InputOf<Definition>,
    options: SubmitOptions<Tx>,
  ): Promise<Submitted>;
  /**
   * Submits up to 1,000 items in one commit, and resolves to one outcome per item, in their order. An item that `submit`
   * would refuse is `refused`, with the same error, and the others are accepted. Give each item its own key: then you can
   * repeat the call after an error, and no item is accepted twice. If two items have the same key, the second one
   * replays the first. There is one event per accepted item. Do not change the inputs before the promise settles.
   *
   * With `tx`, everything is written in your transaction, and there is no event.
   *
   * Rejects if the commit fails: `SUBMISSION_UNCERTAIN`, `STORE_UNAVAILABLE`, `OVERLOADED`. The first of them means that
   * either all items were accepted or none, or any of them if keys and operations are in two stores. Throws `INVALID_OPTION` for more than 1,000 items, for inputs of more than 16
   * million characters together, and if the service has a `create` function for this definition; `NO_TRANSACTIONS`;
   * `SERVICE_CLOSED`.
   */
  submitMany<const Definition extends List[number]>(
    definition: Definition,
    items: readonly SubmissionItem<InputOf<Definition>>[],
    options: SubmitManyOptions<Tx>,
  ): Promise<readonly SubmitOutcome[]>;
  /**
   * Prepares a submission for your own synchronous transaction on the database of an SQLite back end. Checks
   * everything that {@link Service.submit} checks, and stores nothing. Then open your transaction, and call `record`
   * of the result in it. Calling `record` again, for example after a rollback, records the same operation.
   *
   * Throws `CONTRACT_VIOLATION`, `MALFORMED_BODY`, `INVALID_IDEMPOTENCY_KEY`, `MISSING_IDEMPOTENCY_KEY`;
   * `NO_TRANSACTIONS` if the transactions of the back end are not synchronous; `FORBIDDEN` and
   * `AUTHORIZATION_UNAVAILABLE` for a `webhookUrl`; `STORE_UNAVAILABLE`; `INVALID_OPTION`, also if the service has a
   * `create` function for this definition; `SERVICE_CLOSED`.
   */
  prepare<const Definition extends List[number]>(
    definition: Definition,
    input: InputOf<Definition>,
    options: PrepareOptions<Tx>,
  ): Promise<PreparedSubmission<SyncHandle<Tx>>>;
  /**
   * Returns an operation of this tenant and this definition, or undefined if it does not exist.
   *
   * Throws `INVALID_OPTION`, `STORE_UNAVAILABLE`, `SERVICE_CLOSED`.
   */
  get<const Definition extends List[number]>(
    definition: Definition,
    id: string,
    options: { readonly tenant: string },
  ): Promise<OperationView<Definition> | undefined>;
  /**
   * Waits until an operation of this tenant and this definition has ended, and returns its result. Waits without a time
   * limit, so pass a `signal`, such as `AbortSignal.timeout(60_000)`.
   *
   * Throws `OPERATION_CANCELLED` if the operation was cancelled, and `OPERATION_FAILED` if it failed otherwise, both with
   * its problem in `context.problem`; `NOT_FOUND` if there is no such operation; the reason of the signal if it is
   * aborted; `SERVICE_CLOSED`, also if the service closes during the call; `INVALID_OPTION`, `STORE_UNAVAILABLE`.
   */
  result<const Definition extends List[number]>(
    definition: Definition,
    id: string,
    options: { readonly tenant: string; readonly signal?: AbortSignal },
  ): Promise<ResultOf<Definition>>;
  /**
   * Iterates over the output of an operation of this tenant and this definition, as it grows, up to its end. Ends when the
   * operation has ended, also if it failed: see its state. Waits without a time limit, so pass a `signal`.
   *
   * Throws `NOT_FOUND` if there is no such operation; the reason of the signal if it is aborted; `SERVICE_CLOSED`, also if the
   * service closes during the iteration; `INVALID_OPTION`, also if the definition has no `chunk`; `STORE_UNAVAILABLE`.
   *
   * @param options.from The `position` of the last part that you have. Default: the beginning.
   */
  output<const Definition extends List[number]>(
    definition: Definition,
    id: string,
    options: { readonly tenant: string; readonly from?: string; readonly signal?: AbortSignal },
  ): AsyncGenerator<OutputPart<ChunkOf<Definition>>, void, undefined>;
  /**
   * Cancels an operation of this tenant and this definition, even if the definition does not let clients cancel.
   *
   * Throws `INVALID_OPTION`, `STORE_UNAVAILABLE`, `SERVICE_CLOSED`.
   */
  cancel<const Definition extends List[number]>(
    definition: Definition,
    id: string,
    options: { readonly tenant: string },
  ): Promise<CancelResult<Definition>>;
  /**
   * Closes the service, in this order: refuses new requests and submissions, answers requests that wait for the end of
   * work, waits for those in progress and stops the workers of this service, publishes pending rings, and
   * closes the back end. Never rejects. `await using` calls it.
   */
  close(): Promise<void>;
}

/**
 * A service that was created without `authorize`. It refuses every HTTP request, and its calls in process have the tenant
 * `default` unless they name one. Otherwise, it is a {@link Service}.
 */
export type InProcessService<List extends Definitions = Definitions, Tx = unknown> = Service<List, Tx> &
  CallsWithoutTenant<List, Tx>;

/** The calls of a service without `authorize`. They are those of {@link Service}, but for the tenant. */
export interface CallsWithoutTenant<List extends Definitions, Tx> {
  /** See {@link Service.submit}. Default of `tenant`: `default`. */
  submit<const Definition extends List[number]>(
    definition: Definition,
    input: InputOf<Definition>,
    options?: Omit<SubmitOptions<Tx>, "tenant"> & { readonly tenant?: string },
  ): Promise<Submitted>;
  /** See {@link Service.submitMany}. Default of `tenant`: `default`. */
  submitMany<const Definition extends List[number]>(
    definition: Definition,
    items: readonly SubmissionItem<InputOf<Definition>>[],
    options?: Omit<SubmitManyOptions<Tx>, "tenant"> & { readonly tenant?: string },
  ): Promise<readonly SubmitOutcome[]>;
  /** See {@link Service.prepare}. Default of `tenant`: `default`. */
  prepare<const Definition extends List[number]>(
    definition: Definition,
    input: InputOf<Definition>,
    options: [PrepareOptions<Tx>] extends [never]
      ? never
      : Omit<SubmissionOptions, "tenant"> & { readonly tenant?: string },
  ): Promise<PreparedSubmission<SyncHandle<Tx>>>;
  /** See {@link Service.get}. Default of `tenant`: `default`. */
  get<const Definition extends List[number]>(
    definition: Definition,
    id: string,
    options?: { readonly tenant?: string },
  ): Promise<OperationView<Definition> | undefined>;
  /** See {@link Service.result}. Default of `tenant`: `default`. */
  result<const Definition extends List[number]>(
    definition: Definition,
    id: string,
    options?: { readonly tenant?: string; readonly signal?: AbortSignal },
  ): Promise<ResultOf<Definition>>;
  /** See {@link Service.output}. Default of `tenant`: `default`. */
  output<const Definition extends List[number]>(
    definition: Definition,
    id: string,
    options?: { readonly tenant?: string; readonly from?: string; readonly signal?: AbortSignal },
  ): AsyncGenerator<OutputPart<ChunkOf<Definition>>, void, undefined>;
  /** See {@link Service.cancel}. Default of `tenant`: `default`. */
  cancel<const Definition extends List[number]>(
    definition: Definition,
    id: string,
    options?: { readonly tenant?: string },
  ): Promise<CancelResult<Definition>>;
}

/** Infers the type of the `authorize` option. `Hook` is `unknown` without the option, and if type arguments are explicit. */
export interface WithHook<Hook> {
  /** The hook of the service. */
  readonly authorize?: Hook;
}

/** The service that is created with a hook of this type: see {@link WithHook}. */
export type ServiceFor<List extends Definitions, Tx, Hook> = [unknown] extends [Hook]
  ? InProcessService<List, Tx>
  : [Hook] extends [undefined]
    ? InProcessService<List, Tx>
    : Service<List, Tx>;
