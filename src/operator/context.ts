import { checkDefinitions } from "../contract/definition/check-definition.js";
import type { Definitions } from "../contract/definition/definitions.js";
import { AsyncReplyError } from "../contract/errors.js";
import { isOperationId } from "../contract/operation.js";
import { unchecked } from "../contract/option-values.js";
import {
  invalidOption,
  isObject,
  misuse,
  type OptionTable,
  present,
  readOptions,
  shown,
  suggestName,
} from "../contract/options.js";
import type { OutputPosition } from "../contract/output.js";
import { minutesOf } from "../observing/minutes.js";
import { toObserver } from "../observing/to-observer.js";
import { createSystemRuntime } from "../platform/system-runtime.js";
import { withinTime } from "../platform/waits.js";
import type { ActionsStore } from "../ports/actions-store.js";
import type { Backend } from "../ports/backend.js";
import type { MinutesStore } from "../ports/minutes-store.js";
import type { Observer } from "../ports/observer.js";
import type { InspectedOperation, InspectRequest } from "../ports/operation-reads.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { OutputSlice, OutputStore } from "../ports/output-store.js";
import type { Queue } from "../ports/queue.js";
import type { Clock, Runtime } from "../ports/runtime.js";
import type { WorkCounter } from "../ports/work-counter.js";
import { type Bell, createBell } from "../protocol/bell.js";
import { checkBackend } from "../protocol/check-backend.js";

/** Dependencies shared by all methods of an operator. */
export interface OperatorContext {
  readonly definitions: Definitions;
  /** Names of the definitions. */
  readonly names: readonly string[];
  readonly store: OperatorStore;
  /** Reads a part of an output, or returns undefined for an unknown operation. Absent if the back end keeps no output. */
  readonly readOutput: ((id: string, after: OutputPosition) => Promise<OutputSlice | undefined>) | undefined;
  /** Reports the ids of operations that change, like `watch` of the store. Absent if the back end sends no notifications. */
  readonly watch: OperationStore["watch"];
  /** Reads what processes counted by minute. Absent if the back end keeps no minutes. */
  readonly readMinutes: MinutesStore["read"] | undefined;
  /** Records and lists what operators did. Absent if the back end keeps no actions. */
  readonly actions: OperatedActions | undefined;
  readonly runtime: Runtime;
  readonly observe: Observer;
  /** Absent if the back end keeps no minutes. */
  readonly minutes: WorkCounter | undefined;
  readonly bell: Bell;
}

type Parts = Pick<OperatorContext, "runtime"> & {
  readonly backend: Backend;
  readonly definitions: Definitions;
  readonly observe: Observer | false | undefined;
};

/** How the options of every operator are read. */
export const COMMON_OPTIONS: OptionTable<Omit<Parts, "backend">> = {
  definitions: (value) => {
    checkDefinitions(value);
    return value as Definitions;
  },
  runtime: (value = {}) => ({ ...createSystemRuntime(), ...(value as Partial<Runtime>) }),
  observe: unchecked(),
};

const OPTIONS: OptionTable<Parts> = {
  backend: (value) => {
    checkBackend(value);
    return value as Backend;
  },
  ...COMMON_OPTIONS,
};

/**
 * Checks the options of an operator and creates its dependencies.
 *
 * Throws `INVALID_OPTION`.
 */
export function createContext(options: object): OperatorContext {
  if (isObject(options) && typeof Reflect.get(options, "handle") === "function")
    throw misuse(
      "createOperator() takes options, not a service. Pass the back end and the definitions of the service: " +
        "`createOperator({ backend: service.backend, definitions: service.definitions })`.",
    );
  const { backend, ...parts } = readOptions<Parts>(options, OPTIONS, "createOperator");
  const { operations, output, minutes, actions, queue } = backend;
  return contextOf({ operations, inspect: inspecting(operations), output, minutes, actions, queue }, parts);
}

/** The parts of a back end that an operator uses. */
export interface OperatedBackend {
  readonly operations: OperatedStore & Partial<Pick<OperationStore, "getMany">>;
  readonly inspect: NonNullable<OperationStore["inspect"]>;
  readonly output?: Pick<OutputStore, "read"> | undefined;
  readonly minutes?: MinutesStore | undefined;
  readonly actions?: OperatedActions | undefined;
  readonly queue: Pick<Queue, "publish">;
}

/** Creates the dependencies of an operator over a back end. */
export function contextOf(
  { operations, inspect, output, minutes, actions, queue }: OperatedBackend,
  { definitions, runtime, ...given }: Omit<Parts, "backend">,
): OperatorContext {
  const ownObserve = toObserver(given.observe, runtime.clock);
  const getMany: OperationStore["getMany"] = async (ids) => (await operations.getMany?.(ids)) ?? [];
  const counts = minutesOf({ operations: { getMany }, ...present({ minutes }) }, runtime, ownObserve);
  const observe = counts?.counting(ownObserve) ?? ownObserve;
  return {
    definitions,
    names: definitions.map(({ name }) => name),
    store: createOperatorStore(operations, inspect, runtime.clock),
    readOutput: output && createReadOutput(output, runtime.clock),
    readMinutes:
      minutes &&
      ((request) => withinTime(minutes.read(request), ANSWER_TIMEOUT_MS, runtime.clock, tookTooLong)),
    watch: operations.watch?.bind(operations),
    actions: actions && createActions(actions, runtime.clock),
    runtime,
    observe,
    minutes: counts,
    bell: createBell({ queue, runtime, observe }),
  };
}

/**
 * Checks that a value is the name of a definition that the operator knows.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkKnown({ names }: Pick<OperatorContext, "names">, name: unknown): string {
  if (typeof name !== "string") throw invalidOption("definition", "the name of a definition", name);
  if (names.includes(name)) return name;
  throw misuse(`Unknown definition ${shown(name)}. ${suggestName("definitions", name, names)}`);
}

/** Methods of a store that an operator uses. */
type OperatedStore = Pick<
  OperationStore,
  "requestCancel" | "list" | "stats" | "redrive" | "pause" | "resume" | "watch"
>;

/** Those with a time limit. */
interface OperatorStore extends Omit<OperatedStore, "watch"> {
  /** Reads an operation of any tenant. Returns undefined if it does not exist. `places`: see {@link InspectRequest}. */
  inspect(operationId: string, places?: boolean): Promise<InspectedOperation | undefined>;
}

/** Returns the function of a store that reads an operation for operators, or one that knows only the operation. */
function inspecting(operations: OperationStore): OperatedBackend["inspect"] {
  return async (request) => {
    if (operations.inspect !== undefined) return operations.inspect(request);
    const [operation] = await operations.getMany([request.id]);
    return operation && { operation };
  };
}

const ANSWER_TIMEOUT_MS = 30_000;

/** Wraps a store so that each call waits at most 30 s for its answer. */
function createOperatorStore(
  operations: OperatedStore,
  inspect: OperatedBackend["inspect"],
  clock: Clock,
): OperatorStore {
  const inTime = <T>(call: Promise<T>): Promise<T> => withinTime(call, ANSWER_TIMEOUT_MS, clock, tookTooLong);
  return {
    inspect: async (id, places = false) => (isOperationId(id) ? inTime(inspect({ id, places })) : undefined),
    list: (request) => inTime(operations.list(request)),
    stats: (request) => inTime(operations.stats(request)),
    redrive: (id, successor) => inTime(operations.redrive(id, successor)),
    pause: (definition, by) => inTime(operations.pause(definition, by)),
    resume: (definition) => inTime(operations.resume(definition)),
    requestCancel: (id, tenant) => inTime(operations.requestCancel(id, tenant)),
  };
}

/** Methods of a store of actions that an operator uses. */
type OperatedActions = Pick<ActionsStore, "record" | "list">;

/** Wraps a store of actions in the same way. */
function createActions(actions: OperatedActions, clock: Clock): OperatedActions {
  return {
    record: (action) => withinTime(actions.record(action), ANSWER_TIMEOUT_MS, clock, tookTooLong),
    list: (request) => withinTime(actions.list(request), ANSWER_TIMEOUT_MS, clock, tookTooLong),
  };
}

/** Maximum length of a slice. UTF-16 code units. */
const SLICE_LENGTH = 65_536;

/** Wraps an output store in the same way. */
function createReadOutput(
  output: Pick<OutputStore, "read">,
  clock: Clock,
): NonNullable<OperatorContext["readOutput"]> {
  return async (id, after) => {
    const reading = output.read([{ id, after, maxLength: SLICE_LENGTH }]);
    const [slice] = await withinTime(reading, ANSWER_TIMEOUT_MS, clock, tookTooLong);
    return slice;
  };
}

function tookTooLong(): AsyncReplyError {
  const detail = `The store did not answer within ${ANSWER_TIMEOUT_MS} ms. Check the store and try again.`;
  return new AsyncReplyError("STORE_UNAVAILABLE", detail);
}
