import type { NewOperation, Settlement } from "../../../../contract/operation.js";
import type { Lease, OperationStore } from "../../../../ports/operation-store.js";
import { equal, isOutcome } from "../../../expect.js";
import type { PortTime } from "../../port-case.js";
import {
  begins,
  COMPLETED,
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  ERROR,
  FAILED,
  LONG_MS,
  newOperation,
  RETRIED,
} from "../fixtures.js";

/** Creates an operation with these members and ends it. */
type End = (store: OperationStore, members: Partial<NewOperation>, time: PortTime) => Promise<NewOperation>;

/** A way in which operations end. */
export interface Ending {
  /** Part of the ids of rules. */
  readonly rule: string;
  /** Verb with its objects, for the names of cases. */
  readonly way: string;
  readonly state: "completed" | "failed";
  readonly end: End;
}

const settledAs =
  (settlement: Settlement): End =>
  async (store, members) =>
    (await createEnded(store, members, settlement)).operation;

async function createMarked(
  store: OperationStore,
  leaseMs: number,
  members: Partial<NewOperation>,
): Promise<{ readonly operation: NewOperation; readonly lease: Lease }> {
  const working = await createWorking(store, leaseMs, members);
  const { id, tenant } = working.operation;
  equal(await store.requestCancel(id, tenant), "requested", "cancelling under a lease");
  return working;
}

/** Every way in which operations end. */
export const ENDINGS: readonly Ending[] = [
  { rule: "completed", way: "completes", state: "completed", end: settledAs(COMPLETED) },
  { rule: "failed", way: "fails", state: "failed", end: settledAs(FAILED) },
  {
    rule: "cancelled",
    way: "is cancelled",
    state: "failed",
    end: async (store, members) => {
      const operation = await createPending(store, members);
      equal(await store.requestCancel(operation.id, operation.tenant), "cancelled", "cancelling");
      return operation;
    },
  },
  {
    rule: "retry-cancelled",
    way: "fails instead of being retried, because its cancellation was requested",
    state: "failed",
    end: async (store, members) => {
      const { operation, lease } = await createMarked(store, LONG_MS, members);
      const settled = isOutcome(await store.settle(lease, RETRIED), "settled", "settling as retry");
      equal(settled.state, "failed", "the state");
      return operation;
    },
  },
  {
    rule: "begin-cancelled",
    way: "fails at its next attempt, because its cancellation was requested",
    state: "failed",
    end: async (store, members, { unitMs, pass }) => {
      const { operation } = await createMarked(store, 2 * unitMs, members);
      await pass(2 * unitMs);
      equal(await begins(store, operation.id), false, "beginning it after the lease");
      return operation;
    },
  },
  {
    rule: "created-failed",
    way: "is created as failed",
    state: "failed",
    end: async (store, members) => {
      const operation = newOperation(members);
      const created = await store.create(operation, { state: "failed", error: ERROR });
      equal(created, "created", "creating it");
      return operation;
    },
  },
  {
    rule: "preparing-failed",
    way: "fails while it is preparing",
    state: "failed",
    end: async (store, members) => {
      const { operation, lease } = await createPreparing(store, LONG_MS, members);
      isOutcome(await store.settle(lease, FAILED), "settled", "settling");
      return operation;
    },
  },
];
