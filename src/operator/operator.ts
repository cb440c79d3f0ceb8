import type { Definitions, NameOf } from "../contract/definitions.js";
import { isOperationId } from "../contract/operation.js";
import { checkOptions, misuse, type OptionNames, shown } from "../contract/options.js";
import type { Backend } from "../ports/backend.js";
import type { Observer } from "../ports/observer.js";
import type { CancelOutcome, DefinitionStats, RedriveResult } from "../ports/operation-store.js";
import type { Runtime } from "../ports/runtime.js";
import { createContext, type OperatorContext } from "./context.js";
import { type ListFilter, list, type OperationPage } from "./list.js";
import { redriveMany } from "./redrive/redrive-many.js";
import { redriveOne } from "./redrive/redrive-one.js";
import type { RedriveFilter, RedriveOptions, RedrivePreview, RedriveRun } from "./redrive/redrive-options.js";
import { type OperationDetails, toDetails } from "./views.js";

/** What {@link createOperator} takes. `backend` and `definitions` are required. */
export interface OperatorOptions<List extends Definitions = Definitions, Tx = unknown> {
  /** The back end of the service. */
  readonly backend: Backend<Tx>;
  /** Definitions to count, to filter by, and to redrive operations of. */
  readonly definitions: List;
  /** Time, randomness and SHA-256, for tests. Default: those of the platform. */
  readonly runtime?: Partial<Runtime>;
  /**
   * Receives an event for every redriven operation, and an error if workers could not be woken. `false` turns the default off.
   * Default: logs errors to the console, rate-limited.
   */
  readonly observe?: Observer | false;
}

/**
 * Sees and changes operations of all tenants. Authorize every use yourself: nothing in here asks who is calling. Made by
 * {@link createOperator}.
 *
 * A method that needs something that the store cannot do rejects with `NOT_SUPPORTED`. Wrong arguments reject with
 * `INVALID_OPTION`, and a store that cannot be reached with `STORE_UNAVAILABLE`.
 */
export interface Operator<Name extends string = string> {
  /** Lists operations, newest first, without their payloads. */
  list(filter?: ListFilter<Name>): Promise<OperationPage>;
  /** Reads an operation with its payloads. Returns undefined if there is none. */
  get(id: string): Promise<OperationDetails | undefined>;
  /** Counts the operations of each definition, each count up to 10,000. Cheap at any number of operations. */
  stats(): Promise<readonly DefinitionStats[]>;
  /**
   * Cancels an operation, whether or not its definition lets clients cancel. `cancelled`: it has failed with the problem
   * `cancelled`. `requested`: a worker is running it and learns of it at its next lease renewal. Hidden operations and those
   * that are `preparing` cannot be cancelled: they are `unknown`.
   */
  cancel(id: string): Promise<CancelOutcome>;
  /**
   * Runs a failed operation again: creates a new operation with the same tenant and input, whose `retryOf` is the failed one,
   * and wakes the workers. The failed one never changes, except that its `retriedBy` is the new one. Repeated and concurrent
   * calls return the same new operation, which can be redriven in turn once it has failed.
   *
   * Rejects with `INVALID_OPTION` if the operator does not know the definition of the operation.
   */
  redrive(id: string): Promise<RedriveResult>;
  /** Counts the failed operations that match and were not redriven yet, and runs none of them. */
  redrive(
    filter: RedriveFilter<Name>,
    options: RedriveOptions & { readonly dryRun: true },
  ): Promise<RedrivePreview>;
  /**
   * Runs failed operations again, newest first, one after the other. Operations that were redriven before are skipped, so a
   * call that rejected or was stopped can be repeated. Rejects with the reason of `signal` if it was aborted before the call.
   */
  redrive(
    filter: RedriveFilter<Name>,
    options?: RedriveOptions & { readonly dryRun?: false },
  ): Promise<RedriveRun>;
}

const OPTIONS: OptionNames<OperatorOptions> = {
  backend: true,
  definitions: true,
  runtime: true,
  observe: true,
};

/**
 * Creates an operator. It opens nothing and needs no end.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function createOperator<const List extends Definitions, Tx = never>(
  options: OperatorOptions<List, Tx>,
): Operator<NameOf<List>> {
  checkOptions(options, OPTIONS, "createOperator");
  const context = createContext(options);
  return {
    list: (filter) => list(context, filter),
    get: (id) => get(context, id),
    stats: () => context.store.stats({ definitions: context.names }),
    cancel: (id) => cancel(context, id),
    redrive: ((target: string | RedriveFilter, given?: RedriveOptions) =>
      typeof target === "string"
        ? redriveOne(context, target)
        : redriveMany(context, target, given)) as Operator["redrive"],
  };
}

async function get({ store }: OperatorContext, id: string): Promise<OperationDetails | undefined> {
  checkId(id);
  const [operation] = isOperationId(id) ? await store.getMany([id]) : [];
  return operation === undefined ? undefined : toDetails(operation);
}

async function cancel({ store }: OperatorContext, id: string): Promise<CancelOutcome> {
  checkId(id);
  const [operation] = isOperationId(id) ? await store.getMany([id]) : [];
  return operation === undefined ? "unknown" : store.requestCancel(id, operation.tenant);
}

function checkId(id: unknown): void {
  if (typeof id !== "string") throw misuse(`Pass the id of an operation, not ${shown(id)}.`);
}
