import { type Backend, createMemoryBackend, type MemoryBackendOptions } from "async-request-reply";
import type { Submissions } from "async-request-reply/ports";
import {
  type Capabilities,
  createManualClock,
  type IdempotencyStoreHarness,
  type ManualClock,
  type OperationStoreHarness,
  type PortHarness,
  type QueueHarness,
  type SubmissionsHarness,
} from "async-request-reply/testing";

const capabilities: Capabilities = {
  leaseGranularityMs: 1,
  skipsTime: true,
  jumpsBack: true,
  watch: true,
  watchCancellations: true,
  fills: true,
};

/** Changes a port before a case uses it, for example to break it. */
export type Alter<Port> = (port: Port, clock: ManualClock) => Port;

const unaltered = <Port>(port: Port): Port => port;

/** Creates a harness whose cases each get a port of a new memory back end on a manual clock. */
function memoryHarness<Port>(
  portOf: (backend: Backend<never>) => Port,
  alter: Alter<Port>,
): PortHarness<Port> & { readonly clock: ManualClock } {
  const clock = createManualClock();
  return {
    capabilities,
    clock,
    create: async () => ({ port: alter(portOf(createMemoryBackend({ clock })), clock) }),
    passTime: (ms) => clock.advance(ms),
    jumpTime: (ms) => clock.jump(ms),
  };
}

export function memoryOperations(alter: Alter<Backend["operations"]> = unaltered): OperationStoreHarness {
  return memoryHarness(({ operations }) => operations, alter);
}

export function memoryIdempotency(alter: Alter<Backend["idempotency"]> = unaltered): IdempotencyStoreHarness {
  return memoryHarness(({ idempotency }) => idempotency, alter);
}

export function memoryQueue(alter: Alter<Backend["queue"]> = unaltered): QueueHarness {
  return { ...memoryHarness(({ queue }) => queue, alter), ringsWithinMs: 1_000 };
}

export function memorySubmissions(alter: Alter<Submissions<unknown>> = unaltered): SubmissionsHarness {
  const harness = memoryHarness(submissionsOf, alter);
  return {
    ...harness,
    createFull: async () => {
      const { clock } = harness;
      const submissions = alter(submissionsOf(createMemoryBackend({ clock, maxOperations: 1 })), clock);
      const id = "01900000-0000-7000-8000-000000000000";
      await submissions.operations.create({
        id,
        tenant: "filler",
        definition: "orders",
        input: "null",
        retentionMs: 0,
      });
      const makeRoom = async (): Promise<void> => {
        await submissions.operations.requestCancel(id, "filler");
        await submissions.purge({ limit: 1 });
      };
      return { port: submissions, makeRoom };
    },
  };
}

/** Returns the atomic steps of a memory back end. */
export function submissionsOf(backend: Backend<never>): Submissions<unknown> {
  if (backend.submissions === undefined) throw new Error("expected the memory back end to record atomically");
  return backend.submissions;
}

/** Creates a memory back end on a manual clock. */
export function memoryOnClock(
  options: Omit<MemoryBackendOptions, "clock"> = {},
): Backend<never> & { readonly clock: ManualClock } {
  const clock = createManualClock();
  return { ...createMemoryBackend({ ...options, clock }), clock };
}
