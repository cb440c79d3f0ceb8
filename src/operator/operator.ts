import type { Definitions, NameOf } from "../contract/definition/definitions.js";
import type { OperationLimits } from "../contract/definition/limits.js";
import { checkIdText } from "../contract/option-values.js";
import { present } from "../contract/options.js";
import type { Backend } from "../ports/backend.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import type { WEBHOOK_DELIVERY } from "../ports/webhooks.js";
import type { ActionOptions } from "./act.js";
import { type ActionFilter, listActions, type OperatorAction } from "./actions.js";
import { cancel, type OperatorCancelResult } from "./cancel.js";
import { createContext, type OperatorContext } from "./context.js";
import { type OperationDetails, readDetails } from "./details.js";
import { explain, type WaitingReason } from "./explain.js";
import { type FailureFilter, type Failures, failures } from "./failures.js";
import { type ListFilter, list, type OperationPage } from "./list.js";
import { type OperationOutput, type OperationOutputOptions, readOutput } from "./output.js";
import { type DefinitionCounts, pause, readStats, resume } from "./pause.js";
import {
  type RedriveFilter,
  type RedriveOptions,
  type RedrivePreview,
  type RedriveRun,
  redriveMany,
} from "./redrive-many.js";
import { type OperatorRedriveOptions, type OperatorRedriveResult, redriveOne } from "./redrive-one.js";
import { type SeriesOptions, type SeriesStep, series } from "./series.js";

/** Options of {@link createOperator}. `backend` and `definitions` are required. */
export interface OperatorOptions<List extends Definitions = Definitions, Tx = unknown> {
  /** Back end of the service. */
  readonly backend: Backend<Tx>;
  /** Definitions that `stats` counts, that filters may name, and whose operations can be redriven. */
  readonly definitions: List;
  /** Time, randomness and SHA-256, for tests. Default: those of the platform. */
  readonly runtime?: Partial<Runtime>;
  /**
   * Receives `operator.acted` for every action, an event for every redriven or cancelled operation, and an error if workers could not
   * be woken up or an action could not be recorded. `false` turns events off. Default: logs errors to the console, rate-limited.
   */
  readonly observe?: Observer | false;
}

/** Settings of a definition that its operations share. */
export interface DefinitionSettings {
  /** Path at which clients submit operations. */
  readonly path: string;
  /** Limits of its work. Absent without any. */
  readonly limits?: OperationLimits;
}

/**
 * Reads and changes operations of all tenants. Create one with {@link createOperator}. It never checks who is calling,
 * so authorize every use yourself.
 *
 * Every method rejects with `INVALID_OPTION` if an argument is wrong, and with `STORE_UNAVAILABLE` if the store cannot be
 * reached.
 */
export interface Operator<Name extends string = string> {
  /** Names of the definitions that the operator knows. */
  readonly definitions: readonly Name[];
  /** Path at which clients submit operations of a definition, and its limits, by its name. */
  readonly settings: Readonly<Record<Name, DefinitionSettings>>;
  /** Lists operations, newest first, without their payloads. */
  list(filter?: ListFilter<Name>): Promise<OperationPage>;
  /** Reads an operation with its payloads. Returns undefined if it does not exist. */
  get(operationId: string): Promise<OperationDetails | undefined>;
  /**
   * Reads the last 64 KB that the work of an operation has written, or less if `from` is closer to the end. Call it again with the
   * `position` of the last part to follow the output. Returns undefined if the operation does not exist.
   *
   * Rejects with `INVALID_OPTION` if the operator does not know the operation's definition, or if that has no `chunk`.
   */
  output(operationId: string, options?: OperationOutputOptions): Promise<OperationOutput | undefined>;
  /**
   * Says why a pending operation does not run, or has not ended: the reasons that hold it back, as far as the store and the
   * definitions tell. Returns no reason for an operation that is not pending, and undefined if it does not exist.
   */
  explain(operationId: string): Promise<readonly WaitingReason[] | undefined>;
  /**
   * Counts the operations of each definition. Each count stops at 10,000, so it is cheap at any number of operations. Also
   * says which definitions are paused.
   */
  stats(): Promise<readonly DefinitionCounts[]>;
  /**
   * Groups failed operations by definition, type of error and message, so that one bug is one group. Messages that differ
   * only in numbers, ids and other variable parts are the same. Reads at most the newest 10,000 failures.
   */
  failures(filter?: FailureFilter<Name>): Promise<Failures<Name>>;
  /**
   * Returns what all processes have counted, by definition and step, the earliest first. Steps in which nothing happened and no worker
   * served the definition are absent. Processes write every 10 s, so the last seconds can be missing. A process that is killed
   * loses the counts that it has not written, and one that gets no answer from the store can lose some. If an operation is cancelled while
   * the lease of its attempt is over, and the attempt then ends, both can count.
   *
   * Minutes are kept for 7 days. For times before, all counts of an hour stand at its start, for 90 days.
   *
   * Rejects with `INVALID_OPTION` if the range has more than 2,000 steps, and with `NOT_SUPPORTED` if the back end keeps no minutes.
   */
  series(options: SeriesOptions<Name> & { readonly internal?: false }): Promise<readonly SeriesStep<Name>[]>;
  /** Does the same, also with `internal`. */
  series(options: SeriesOptions<Name>): Promise<readonly SeriesStep<Name | typeof WEBHOOK_DELIVERY>[]>;
  /**
   * Calls `onChange` with the ids of operations that are created or change, in any process, and returns a function that stops the calls.
   * `onChange` must not throw. An id is a hint to look: it may come more than once, or not at all, so also look now and then. A call
   * without an id means that some may have been missed. Absent if the back end sends no notifications.
   */
  watch?(onChange: (operationId?: string) => void): () => void;
  /**
   * Lists what operators changed with the methods below, newest first. Actions are kept for 90 days. Calls that changed nothing and dry
   * runs are left out. Calls of `redrive` that continue each other with a `cursor` are one action.
   *
   * Rejects with `NOT_SUPPORTED` if the back end keeps no actions.
   */
  actions(filter?: ActionFilter<Name>): Promise<readonly OperatorAction[]>;
  /** Cancels an operation, even if its definition does not let clients cancel. */
  cancel(operationId: string, options?: ActionOptions): Promise<OperatorCancelResult>;
  /**
   * Runs a failed operation again. Creates a new operation with the same tenant and input, whose `retryOf` is the
   * failed one, and wakes up the workers. The failed operation does not change, except that its `retriedBy` names the
   * new one. Repeated and concurrent calls return the same new operation. If the new one fails too, it can be redriven
   * in turn. If the call rejects, you can repeat it: the new operation may exist already.
   *
   * Rejects with `INVALID_OPTION` if the operator does not know the operation's definition, or if `keepCheckpoint` does not fit it.
   */
  redrive(operationId: string, options?: OperatorRedriveOptions): Promise<OperatorRedriveResult>;
  /** Counts the failed operations that match and were not redriven yet. Runs nothing. */
  redrive(
    filter: RedriveFilter<Name>,
    options: RedriveOptions & { readonly dryRun: true },
  ): Promise<RedrivePreview>;
  /**
   * Runs failed operations again, newest first, one after the other. It skips operations that were redriven before, so
   * you can repeat a call that rejected or was stopped. Rejects with the reason of `signal` if it was aborted before
   * the call.
   */
  redrive(
    filter: RedriveFilter<Name>,
    options?: RedriveOptions & { readonly dryRun?: false },
  ): Promise<RedriveRun>;
  /**
   * Pauses a definition: workers begin none of its operations any more, in any process, until it is resumed. Everything
   * else goes on: the service accepts its operations, and attempts that have begun run to their end. The store keeps the
   * pause, so it survives restarts. If the definition is paused already, nothing changes.
   */
  pause(definition: Name, options?: ActionOptions): Promise<void>;
  /** Ends the pause of a definition and wakes up its workers. Does nothing if it is not paused. */
  resume(definition: Name, options?: ActionOptions): Promise<void>;
}

/**
 * Creates an operator. It opens nothing, so there is nothing to close.
 *
 * Throws `INVALID_OPTION`.
 */
export function createOperator<const List extends Definitions, Tx = never>(
  options: OperatorOptions<List, Tx>,
): Operator<NameOf<List>> {
  return operatorOf<List>(createContext(options));
}

/** Creates an operator from its dependencies. */
export function operatorOf<List extends Definitions>(context: OperatorContext): Operator<NameOf<List>> {
  return {
    definitions: context.names as readonly NameOf<List>[],
    settings: settingsOf(context) as Operator<NameOf<List>>["settings"],
    list: (filter) => list(context, filter),
    get: (operationId) => get(context, operationId),
    output: (operationId, given) => output(context, operationId, given),
    explain: async (operationId) => {
      checkId(operationId);
      return explain(context, operationId);
    },
    stats: () => readStats(context),
    series: ((given: SeriesOptions) => series(context, given)) as Operator<NameOf<List>>["series"],
    failures: (filter) => failures(context, filter) as Promise<Failures<NameOf<List>>>,
    ...present({ watch: context.watch }),
    actions: (filter) => listActions(context, filter),
    cancel: async (operationId, given) => {
      checkId(operationId);
      return cancel(context, operationId, given);
    },
    redrive: ((target: string | RedriveFilter, given?: RedriveOptions) =>
      typeof target === "string"
        ? redriveOne(context, target, given)
        : redriveMany(context, target, given)) as Operator["redrive"],
    pause: (definition, given) => pause(context, definition, given),
    resume: (definition, given) => resume(context, definition, given),
  };
}

function settingsOf({ definitions }: OperatorContext): Readonly<Record<string, DefinitionSettings>> {
  return Object.fromEntries(
    definitions.map(({ name, path, limits }) => [name, { path, ...present({ limits }) }]),
  );
}

async function get(context: OperatorContext, operationId: string): Promise<OperationDetails | undefined> {
  checkId(operationId);
  const found = await context.store.inspect(operationId);
  return found && readDetails(context, found);
}

async function output(
  context: OperatorContext,
  operationId: string,
  options?: OperationOutputOptions,
): Promise<OperationOutput | undefined> {
  checkId(operationId);
  return readOutput(context, operationId, options);
}

function checkId(operationId: unknown): void {
  checkIdText(operationId, "from a list");
}
