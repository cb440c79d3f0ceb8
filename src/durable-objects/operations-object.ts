import { toFetchHandler } from "../adapters/fetch/to-fetch-handler.js";
import { type DurableObjectBackend, openStorage } from "../backends/durable-objects/backend.js";
import type { ObjectSql } from "../backends/durable-objects/storage.js";
import type { Definitions } from "../contract/definition/definitions.js";
import { flag, instance, type OptionTable, readOptions, unchecked } from "../contract/option-table.js";
import { createSystemRuntime } from "../platform/system-runtime.js";
import type { Runtime } from "../ports/runtime.js";
import type { Sync } from "../ports/synchronous.js";
import { SHARED } from "../protocol/shared.js";
import { createService, type ServiceOptions } from "../service/create-service.js";
import type { Service } from "../service/service.js";
import type { Processors } from "../worker/processors.js";
import type { WorkerOptions } from "../worker/settings.js";
import { createWorker } from "../worker/worker.js";
import { refuseLargeValues, refuseSharedLimits } from "./check-options.js";
import { fromForwarded } from "./forwarded.js";
import { ObjectAlarm } from "./object-alarm.js";
import { ObjectRuns } from "./object-runs.js";
import type { AlarmStorage, ObjectState } from "./platform.js";

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
  /** Clock, ids, randomness and hashes, for tests. Default for each member: the platform's. */
  readonly runtime?: Partial<Runtime>;
}

/** The operations of one tenant. The methods of your class call those of the same name. */
export interface OperationsObject<List extends Definitions> {
  /** Answers a request that `routeToTenant` forwarded. */
  fetch(request: Request): Promise<Response>;
  /** Works. Never rejects, because after some failures the platform would not call it again. */
  alarm(): Promise<void>;
  /** Accepts work in process. */
  readonly service: Service<List, ObjectTransactions>;
  /** The store, for example of an operator. */
  readonly backend: DurableObjectBackend;
}

const CONCURRENCY = 4;
/** How long work that was accepted, or a lease that was taken, can be without its process. Milliseconds. */
const BACKSTOP_MS = 10_000;
/** How long work that is due can be blocked before the object looks again. An event that unblocks it also rings. Milliseconds. */
const BLOCKED_MS = 60_000;
const DAY_MS = 86_400_000;

const OPTIONS: OptionTable<OperationsObjectOptions<Definitions>> = {
  definitions: unchecked(),
  processors: unchecked(),
  service: (value = {}) => value as object,
  worker: (value = {}) => value as WorkerOptions,
  perObject: flag(false),
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
  if (!read.perObject) refuseSharedLimits(definitions);
  refuseLargeValues({
    "service.maxBodyBytes": given.maxBodyBytes,
    "service.maxResultBytes": given.maxResultBytes,
    "worker.maxResultBytes": workerOptions.maxResultBytes,
  });
  const runtime: Runtime = { ...createSystemRuntime(), ...read.runtime };
  const { clock } = runtime;
  const alarm = new ObjectAlarm(storage);
  const backstop = (): number => clock.now() + BACKSTOP_MS;
  const { backend, contents, forget } = openStorage({
    storage,
    runtime,
    onCommit: (dueAt) => alarm.noLaterThan(Math.min(dueAt, backstop())),
    onRecord: (dueAt) => alarm.mayBeUndone(Math.min(dueAt, backstop())),
  });
  const service = createService({
    ...given,
    definitions,
    backend,
    authorize: fromForwarded(state.id.name),
    runtime,
  }) as unknown as Service<List, ObjectTransactions>;
  const report = (error: unknown): void =>
    service[SHARED].observe({ event: "background.failed", step: "run", error });
  const runs = new ObjectRuns({
    worker: createWorker<List, ObjectTransactions>(service, processors, { ...workerOptions, concurrency }),
    concurrency,
    runtime,
    waitUntil: (work) => state.waitUntil(work),
    onRest: settle,
    report,
  });
  const names = [...definitions, ...(given.webhooks === undefined ? [] : [given.webhooks.definition])].map(
    ({ name }) => name,
  );
  const listening = backend.queue.listen({ onRing: () => runs.start(), onError: report });
  listening.want(new Set(names));
  const handle = toFetchHandler(service);
  /** Whether the alarm rang since the last rest. Without that, an alarm stays that is too early: to move it costs a row. */
  let hasRung = false;

  /** Sets the alarm to what is due next. An object that holds nothing any more deletes itself. */
  async function settle(idle: boolean): Promise<void> {
    const moves = hasRung;
    hasRung = false;
    if (contents.isEmpty()) return leave();
    const now = clock.now();
    const next = contents.nextAt(names);
    const at = Math.min(next > now ? next : backstop(), now + (idle ? DAY_MS : BLOCKED_MS));
    if (moves) alarm.set(at);
    else alarm.noLaterThan(at);
  }

  async function leave(): Promise<void> {
    const { size: values } = await storage.list({ limit: 1 });
    // Work may have come in the meantime, and then an alarm was set.
    if (!contents.isEmpty()) return;
    alarm.remove();
    if (values > 0 || contents.hasOthers()) return;
    forget();
    await storage.deleteAll();
  }

  void state.blockConcurrencyWhile(() => alarm.load());
  return {
    service,
    backend,
    fetch: (request) => {
      if (!alarm.isSet()) alarm.noLaterThan(backstop());
      return handle(request, state);
    },
    alarm: async () => {
      try {
        hasRung = true;
        alarm.rang();
        alarm.noLaterThan(backstop());
        runs.start();
      } catch (error) {
        report(error);
      }
    },
  };
}
