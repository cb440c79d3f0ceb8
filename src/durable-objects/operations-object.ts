import { toFetchHandler } from "../adapters/fetch/to-fetch-handler.js";
import { type DurableObjectBackend, openStorage } from "../backends/durable-objects/backend.js";
import type { ObjectSql } from "../backends/durable-objects/storage.js";
import { checkDefinitions } from "../contract/definition/check-definition.js";
import type { Definitions } from "../contract/definition/definitions.js";
import { flag, instance, optional, unchecked } from "../contract/option-values.js";
import { type OptionTable, readOptions } from "../contract/options.js";
import { createSystemRuntime } from "../platform/system-runtime.js";
import type { Runtime } from "../ports/runtime.js";
import type { Sync } from "../ports/synchronous.js";
import { SHARED } from "../protocol/shared.js";
import { createService, type ServiceOptions } from "../service/create-service.js";
import type { Service } from "../service/service.js";
import type { Processors } from "../worker/processors.js";
import type { WorkerOptions } from "../worker/settings.js";
import { createWorker } from "../worker/worker.js";
import { refuseLargeValues, refuseSharedLimits, refuseUnnumberedShard } from "./check-options.js";
import { callDirectory } from "./directory/directory-object.js";
import { DirectoryMembership } from "./directory-membership.js";
import { fromForwarded } from "./forwarded.js";
import { NO_DIRECTORY } from "./membership.js";
import { ObjectAlarm } from "./object-alarm.js";
import { answering, CALL } from "./object-calls.js";
import { parseNameText } from "./object-name.js";
import { keepingNumbers } from "./object-number.js";
import { BACKSTOP_MS, ObjectRest } from "./object-rest.js";
import { ObjectRuns } from "./object-runs.js";
import { createOperatorCalls } from "./operator/calls.js";
import type { AlarmStorage, ObjectNamespace, ObjectState } from "./platform.js";

/** Transactions of an object, as the `Tx` of its service and its worker: synchronous, with `ctx.storage.sql` as their handle. */
export type ObjectTransactions = Sync<ObjectSql>;

/** Options of {@link createOperationsObject}. */
export interface OperationsObjectOptions<List extends Definitions> {
  /** At least one definition: those of the Worker. */
  readonly definitions: List;
  /** Processors, by name of their definition. Their `job.transaction` shares a transaction with the rows of the object. */
  readonly processors: Processors<NoInfer<List>, ObjectTransactions>;
  /** Options of the service, such as `formats` or `webhooks`. Those with paths must be the same in the Worker. Default: none. */
  readonly service?: Omit<
    ServiceOptions<List, ObjectTransactions>,
    "definitions" | "backend" | "authorize" | "admit" | "runtime"
  >;
  /**
   * Options of the worker. Its default `concurrency` is 4, because an object has 6 connections to the outside and one
   * thread. Default: none.
   */
  readonly worker?: WorkerOptions;
  /**
   * Whether the limits `running` and `pending` mean each object for itself. Without it, definitions with them are refused,
   * because elsewhere they mean all tenants. Default: false.
   */
  readonly perObject?: boolean;
  /**
   * The binding of the class with a directory of all objects. Then an operator finds every operation by its id, pauses hold in all
   * objects, and a tenant can have several objects. Pass it from the first deploy on: ids of before are found by their tenant only.
   * Default: none.
   */
  readonly directory?: ObjectNamespace<unknown>;
  /** Clock, ids, randomness and hashes, for tests. Default for each member: the platform's. */
  readonly runtime?: Partial<Runtime>;
}

/** The operations of one tenant. The methods of your class call those of the same name. */
export interface OperationsObject<List extends Definitions> {
  /** Answers a request that `routeToTenant` forwarded, or a call of an operator over all objects. */
  fetch(request: Request): Promise<Response>;
  /** Works. Never rejects, because after some failures the platform would not call it again. */
  alarm(): Promise<void>;
  /** Accepts work in process. */
  readonly service: Service<List, ObjectTransactions>;
  /** The store, for example of an operator. */
  readonly backend: DurableObjectBackend;
}

const CONCURRENCY = 4;

const OPTIONS: OptionTable<OperationsObjectOptions<Definitions>> = {
  definitions: (value) => {
    checkDefinitions(value);
    return value as Definitions;
  },
  processors: unchecked(),
  service: (value = {}) => value as object,
  worker: (value = {}) => value as WorkerOptions,
  perObject: flag(false),
  directory: optional(instance("the binding of a class with createDirectoryObject()", "idFromName")),
  runtime: unchecked(),
};

const EXPECTED = "the storage of an object, with its alarm: pass `this.ctx` of the class";

/**
 * Keeps the operations of one tenant in a Durable Object, and works on them. Every write has an alarm in the same turn, so work
 * continues after a deploy, an eviction or a crash.
 *
 * Throws `INVALID_OPTION`, naming the option.
 *
 * @param state the first argument of the constructor of the class: `this.ctx`
 */
export function createOperationsObject<const List extends Definitions>(
  state: ObjectState,
  options: OperationsObjectOptions<List>,
): OperationsObject<List> {
  const read = readOptions(options, OPTIONS, "createOperationsObject");
  const storage = instance<AlarmStorage>(
    EXPECTED,
    "setAlarm",
    "transactionSync",
  )(state?.storage, "ctx.storage");
  const {
    definitions,
    processors,
    service: given = {},
    worker: { concurrency = CONCURRENCY, ...workerOptions } = {},
  } = options;
  const { name } = state.id;
  if (!read.perObject) refuseSharedLimits(definitions);
  refuseUnnumberedShard(name, read.directory);
  refuseLargeValues({
    "service.maxBodyBytes": given.maxBodyBytes,
    "service.maxResultBytes": given.maxResultBytes,
    "worker.maxResultBytes": workerOptions.maxResultBytes,
  });
  const system: Runtime = { ...createSystemRuntime(), ...read.runtime };
  const { clock } = system;
  const runtime: Runtime = { ...system, newId: () => membership.numbered(system.newId()) };
  const alarm = new ObjectAlarm(storage);
  const backstop = (): number => clock.now() + BACKSTOP_MS;
  const {
    backend: opened,
    contents,
    forget,
  } = openStorage({
    storage,
    runtime,
    onCommit: (dueAt) => alarm.noLaterThan(Math.min(dueAt, backstop())),
    onRecord: (dueAt) => alarm.mayBeUndone(Math.min(dueAt, backstop())),
    onPurge: () => membership.changed(),
    onUse: () => membership.checkShards(),
  });
  const backend =
    read.directory === undefined ? opened : { ...opened, operations: keepingNumbers(opened.operations) };
  const service = createService({
    ...given,
    definitions,
    backend,
    authorize: fromForwarded(name && parseNameText(name).tenant),
    runtime,
  }) as unknown as Service<List, ObjectTransactions>;
  const report = (error: unknown): void =>
    service[SHARED].observe({ event: "background.failed", step: "run", error });
  const names = [...definitions, ...(given.webhooks === undefined ? [] : [given.webhooks.definition])].map(
    (definition) => definition.name,
  );
  const membership =
    read.directory === undefined
      ? NO_DIRECTORY
      : new DirectoryMembership({
          name,
          storage,
          directory: callDirectory(read.directory),
          operations: backend.operations,
          isEmpty: () => contents.isEmpty(false),
          definitions: names,
          clock,
          onResume: () => runs.start(),
          report,
        });
  const rest = new ObjectRest({ alarm, contents, membership, storage, definitions: names, clock, forget });
  const runs = new ObjectRuns({
    worker: createWorker<List, ObjectTransactions>(service, processors, { ...workerOptions, concurrency }),
    concurrency,
    runtime,
    waitUntil: (work) => state.waitUntil(work),
    onStart: () => membership.refresh(),
    onRest: (idle) => rest.begin(idle),
    report,
  });
  const listening = backend.queue.listen({ onRing: () => runs.start(), onError: report });
  listening.want(new Set(names));
  const handle = toFetchHandler(service);
  const answer = answering(createOperatorCalls(backend, () => runs.start()));
  void state.blockConcurrencyWhile(async () => {
    await alarm.load();
    await membership.load();
  });
  return {
    service,
    backend,
    fetch: async (request) => {
      await membership.ensureNumber();
      // The object may have become a part of the directory, and leaves when the alarm rings if nothing else happens.
      if (!alarm.isSet()) alarm.noLaterThan(backstop());
      return request.headers.has(CALL) ? answer(request) : handle(request, state);
    },
    alarm: async () => {
      try {
        alarm.rang();
        rest.rang();
        alarm.noLaterThan(backstop());
        void membership.refresh();
        runs.start();
      } catch (error) {
        report(error);
      }
    },
  };
}
