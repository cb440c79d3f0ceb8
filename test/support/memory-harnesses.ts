import {
  type Backend,
  createMemoryBackend,
  createMemoryStores,
  type IdempotencyStore,
  type MemoryBackendOptions,
  type Queue,
} from "async-request-reply";
import type { SeparateOperationStore, SeparateStores } from "async-request-reply/ports";
import {
  type ActionsBackend,
  type ActionsStoreHarness,
  type Capabilities,
  createManualClock,
  type IdempotencyStoreHarness,
  type ManualClock,
  type MinutesBackend,
  type MinutesStoreHarness,
  type OutputBackend,
  type OutputStoreHarness,
  type PortHarness,
  type QueueHarness,
  type Recording,
  type SeparateOperationStoreHarness,
  type SubmissionsHarness,
} from "async-request-reply/testing";

const capabilities: Capabilities = {
  leaseGranularityMs: 1,
  skipsTime: true,
  jumpsBack: true,
  watch: true,
  watchCancellations: true,
  inspect: true,
  fills: true,
};

/** Changes a port before a case uses it, for example to break it. */
export type Alter<Port> = (port: Port, clock: ManualClock) => Port;

const unaltered = <Port>(port: Port): Port => port;

/** Creates a harness whose cases each get a port on a new manual clock. */
function memoryHarness<Port>(
  create: (clock: ManualClock) => Port,
  alter: Alter<Port>,
): PortHarness<Port> & { readonly clock: ManualClock } {
  const clock = createManualClock();
  return {
    capabilities,
    clock,
    create: async () => ({ port: alter(create(clock), clock) }),
    passTime: (ms) => clock.advance(ms),
    jumpTime: (ms) => clock.jump(ms),
  };
}

export function memoryOperations(
  alter: Alter<SeparateOperationStore> = unaltered,
): SeparateOperationStoreHarness {
  return memoryHarness((clock) => createMemoryStores({ clock }).operations, alter);
}

export function memoryOutput(alter: Alter<OutputBackend> = unaltered): OutputStoreHarness {
  return memoryHarness((clock) => createMemoryBackend({ clock }), alter);
}

export function memoryMinutes(alter: Alter<MinutesBackend> = unaltered): MinutesStoreHarness {
  return memoryHarness((clock) => createMemoryBackend({ clock }), alter);
}

export function memoryActions(alter: Alter<ActionsBackend> = unaltered): ActionsStoreHarness {
  return memoryHarness((clock) => createMemoryBackend({ clock }), alter);
}

export function memoryIdempotency(alter: Alter<IdempotencyStore> = unaltered): IdempotencyStoreHarness {
  return memoryHarness((clock) => createMemoryStores({ clock }).idempotency, alter);
}

export function memoryQueue(alter: Alter<Queue> = unaltered): QueueHarness {
  return { ...memoryHarness((clock) => createMemoryBackend({ clock }).queue, alter), ringsWithinMs: 1_000 };
}

export function memorySubmissions(alter: Alter<Recording> = unaltered): SubmissionsHarness {
  const harness = memoryHarness<Recording>((clock) => createMemoryBackend({ clock }), alter);
  return {
    ...harness,
    createFull: async () => {
      const { clock } = harness;
      const port = alter(createMemoryBackend({ clock, maxOperations: 1 }), clock);
      const id = "01900000-0000-7000-8000-000000000000";
      await port.operations.create({
        id,
        tenant: "filler",
        definition: "orders",
        input: "null",
        retentionMs: 0,
      });
      const makeRoom = async (): Promise<void> => {
        await port.operations.requestCancel(id, "filler");
        await port.submissions.purge({ limit: 1 });
      };
      return { port, makeRoom };
    },
  };
}

/** Creates a memory back end on a manual clock. */
export function memoryOnClock(
  options: Omit<MemoryBackendOptions, "clock"> = {},
): Backend<never> & { readonly clock: ManualClock } {
  const clock = createManualClock();
  return { ...createMemoryBackend({ ...options, clock }), clock };
}

/** Creates stores in memory on a manual clock. */
export function storesOnClock(
  options: Omit<MemoryBackendOptions, "clock"> = {},
): SeparateStores & { readonly clock: ManualClock } {
  const clock = createManualClock();
  return { ...createMemoryStores({ ...options, clock }), clock };
}
