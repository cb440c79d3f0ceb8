import {
  type Clock,
  createMemoryBackend,
  createMemoryStores,
  type IdempotencyStore,
  type OperationStore,
} from "async-request-reply";
import type { Operation, SeparateOperationStore } from "async-request-reply/ports";
import type { CreateBackend } from "async-request-reply/testing";
import { replacing } from "../support/replacing.js";

/** A back end with one mistake, and the violation that the simulator must report. */
export interface PlantedStore {
  readonly create: CreateBackend;
  readonly violation: RegExp;
}

/** Returns what matches the violations of some invariants. */
export function I(...numbers: readonly number[]): RegExp {
  return new RegExp(`I(${numbers.join("|")}): `);
}

/** Methods of the stores that make a mistake. */
interface Mistakes {
  readonly operations?: Partial<SeparateOperationStore>;
  readonly idempotency?: Partial<IdempotencyStore>;
}

/** Replaces methods of stores that record key and operation one after the other. */
export function inStores(
  mistakes: (operations: SeparateOperationStore, idempotency: IdempotencyStore, clock: Clock) => Mistakes,
): CreateBackend {
  return (clock) => {
    const stores = createMemoryStores({ clock });
    const { operations = {}, idempotency = {} } = mistakes(stores.operations, stores.idempotency, clock);
    return {
      ...stores,
      operations: replacing(stores.operations, operations),
      idempotency: replacing(stores.idempotency, idempotency),
    };
  };
}

/** Replaces methods of an operation store that is separate from the keys. */
export function composed(
  violation: RegExp,
  methods: (store: SeparateOperationStore, clock: Clock) => Partial<SeparateOperationStore>,
): PlantedStore {
  return { violation, create: inStores((store, _, clock) => ({ operations: methods(store, clock) })) };
}

/** Replaces methods of a back end that records key and operation in one step. */
export function atomic(
  violation: RegExp,
  methods: (store: OperationStore, clock: Clock) => Partial<OperationStore>,
): PlantedStore {
  return {
    violation,
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      return { ...backend, operations: replacing(backend.operations, methods(backend.operations, clock)) };
    },
  };
}

/** Reads an operation of any tenant, hidden or not. */
export async function lookAt(store: OperationStore, id: string): Promise<Operation | undefined> {
  return (await store.getMany([id]))[0];
}
