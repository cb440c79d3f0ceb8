import { type AwaitUsing, awaitUsing } from "../../contract/await-using.js";
import { instance, integer } from "../../contract/option-values.js";
import { type OptionTable, readOptions } from "../../contract/options.js";
import { createActionsStore } from "../../engine/actions.js";
import type { Driver } from "../../engine/driver.js";
import { createMinutesStore } from "../../engine/minutes.js";
import { createOperationStore } from "../../engine/operation-store.js";
import { systemClock } from "../../platform/system-runtime.js";
import type { Backend, SeparateStores } from "../../ports/backend.js";
import type { Clock } from "../../ports/runtime.js";
import { createListeners, createLocalQueue } from "../shared/local-notices.js";
import { createActionsTable } from "./actions.js";
import { MemoryIdempotencyStore } from "./idempotency-store.js";
import { createMinutesTable } from "./minutes.js";
import { createMemoryOutput } from "./output.js";
import { createRemoval } from "./separate.js";
import { createMemorySubmissions } from "./submissions.js";
import { createTable } from "./table.js";

/** Member of the operation stores of this back end. A registered symbol, because a program can load two copies of the package. */
export const IN_MEMORY: unique symbol = Symbol.for("async-request-reply.in-memory");

/** Options of {@link createMemoryBackend}. */
export interface MemoryBackendOptions {
  /**
   * Clock of leases and expirations. A manual clock lets a test advance the time without waiting. Default: the
   * platform's.
   */
  readonly clock?: Clock;
  /**
   * Maximum number of operations, including finished ones. Further submissions get 503, because a live key is never
   * dropped to make room. Default: 1,000,000, which takes about 1.4 GB.
   */
  readonly maxOperations?: number;
}

const readClock = instance<Clock>("a clock, such as `createManualClock()` for tests", "now", "schedule");

/** How the options are read. */
const OPTIONS: OptionTable<Required<MemoryBackendOptions>> = {
  clock: (value = systemClock, name) => readClock(value, name),
  maxOperations: integer(1_000_000),
};

/**
 * Creates a back end that keeps all data in memory and loses it when the process ends. Use it for development, for
 * tests, and for services whose clients tolerate such a loss. Key and operation are recorded in one step.
 *
 * Throws `INVALID_OPTION`.
 */
export function createMemoryBackend(
  options: MemoryBackendOptions = {},
): Backend<never> & Required<Pick<Backend, "output" | "minutes" | "actions">> & AwaitUsing {
  const { operations, submissions, output, minutes, actions, queue } = openMemory(
    readOptions(options, OPTIONS, "createMemoryBackend"),
  );
  return {
    operations,
    submissions,
    output,
    minutes,
    actions,
    queue,
    check: async () => {},
    close: () => queue.close(),
    ...awaitUsing(),
  };
}

/**
 * Creates a store of operations, a store of keys and a queue, which keep all data in memory and can be used singly. To replace one
 * of them, pass it together with the others: `createService({ backend: { ...createMemoryStores(), idempotency } })`.
 *
 * Throws `INVALID_OPTION`.
 */
export function createMemoryStores(options: MemoryBackendOptions = {}): SeparateStores {
  const { operations, idempotency, output, minutes, actions, queue } = openMemory(
    readOptions(options, OPTIONS, "createMemoryStores"),
  );
  return { operations, idempotency, output, minutes, actions, queue };
}

const DRIVER: Driver = {
  waitsForDisk: false,
  read: async (job) => job(),
  write: async (_, job) => job(),
};

/** Creates all parts. The keys are in the store of keys, whether they are recorded with or without their operations. */
export function openMemory({
  clock,
  maxOperations,
}: Required<MemoryBackendOptions>): Required<Omit<SeparateStores, "check" | "close">> &
  Pick<Backend<never>, "submissions"> {
  const idempotency = new MemoryIdempotencyStore(clock);
  const table = createTable({ clock, maxOperations, keys: idempotency });
  const operations = {
    ...createOperationStore(DRIVER, table, () => "", table.entries.outputs),
    ...createRemoval(table),
    watch: table.entries.watchers.watch,
    watchCancellations: table.cancellations.watch,
    [IN_MEMORY]: true,
  };
  return {
    operations,
    idempotency,
    submissions: createMemorySubmissions(table),
    output: createMemoryOutput(DRIVER, table),
    minutes: createMinutesStore(DRIVER, createMinutesTable(clock)),
    actions: createActionsStore(DRIVER, createActionsTable(clock)),
    queue: createLocalQueue(createListeners({ clock })),
  };
}
