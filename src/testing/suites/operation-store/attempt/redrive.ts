import type { NewOperation, Operation } from "../../../../contract/operation.js";
import type { OperationStore, RedriveResult } from "../../../../ports/operation-store.js";
import { deepEqual, equal, isOutcome } from "../../../expect.js";
import { concurrently } from "../../port-case.js";
import { DIFFICULT_TEXT } from "../create/create.js";
import {
  begin,
  begins,
  COMPLETED,
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  ERROR,
  FAILED,
  LONG_MS,
  newId,
  newOperation,
  type OperationStoreCheck,
  PREPARED,
  read,
} from "../fixtures.js";
import { newFollowUp } from "./on-end.js";

const TENANT = "tenant-1";

export async function redrive(
  store: OperationStore,
  id: string,
  successor: { readonly id: string; readonly onEndId?: string } = { id: newId() },
): Promise<RedriveResult> {
  return store.redrive(id, { onEndId: newId(), ...successor });
}

/** Creates an operation, fails it and redrives it. Returns both ids. */
export async function createRedriven(
  store: OperationStore,
  members: Partial<NewOperation> = {},
): Promise<{ readonly failed: string; readonly successor: string }> {
  const { operation } = await createEnded(store, members, FAILED);
  const result = isOutcome(await redrive(store, operation.id), "redriven", "redriving a failed operation");
  return { failed: operation.id, successor: result.operationId };
}

async function refuses(store: OperationStore, id: string, state: Operation["state"]): Promise<void> {
  const successor = newId();
  const result = await redrive(store, id, { id: successor });
  deepEqual(result, { outcome: "not-redrivable", state }, `redriving an operation that is ${state}`);
  equal(await begins(store, successor), false, "beginning a successor of it");
}

export const redriveChecks: readonly OperationStoreCheck[] = [
  {
    rule: "redrive.created",
    name: "creates a pending operation with the same work and no key, and links the two operations",
    check: async (store) => {
      const retention = { retentionMs: 12_345, failedRetentionMs: 54_321 };
      const members = {
        principal: "ann",
        key: "key-1",
        input: DIFFICULT_TEXT,
        meta: DIFFICULT_TEXT,
        ...retention,
      };
      const { operation: failed } = await createEnded(store, members, FAILED);
      const cancelled = await createPending(store, members);
      equal(await store.requestCancel(cancelled.id, cancelled.tenant), "cancelled", "cancelling");
      for (const { id, tenant } of [failed, cancelled]) {
        const before = await read(store, { id, tenant });
        const successor = newId();
        const result = await redrive(store, id, { id: successor });
        deepEqual(result, { outcome: "redriven", operationId: successor, created: true }, "redriving");
        deepEqual(
          await read(store, { id, tenant }),
          { ...before, retriedBy: successor },
          "the failed operation",
        );
        const { createdAt: _, ...rest } = await read(store, { id: successor, tenant });
        const { definition, principal, input, meta } = before;
        const expected = {
          id: successor,
          tenant,
          definition,
          principal,
          input,
          ...retention,
          meta,
          retryOf: id,
        };
        deepEqual(rest, { ...expected, state: "pending", attempt: 0 }, "its successor");
        const begun = await begin(store, successor);
        deepEqual([begun.operation.attempt, begun.previousLost], [1, false], "the attempt of the successor");
      }
    },
  },
  {
    rule: "redrive.repeated",
    name: "returns the first successor again, also for other ids and after the successor has ended",
    check: async (store) => {
      const { failed, successor } = await createRedriven(store);
      const again = { outcome: "redriven", operationId: successor, created: false };
      deepEqual(await redrive(store, failed, { id: successor }), again, "redriving again");
      const other = newId();
      deepEqual(await redrive(store, failed, { id: other }), again, "redriving with another id");
      equal(await begins(store, other), false, "beginning the other id");
      const { lease } = await begin(store, successor);
      await store.settle(lease, COMPLETED);
      deepEqual(await redrive(store, failed), again, "redriving after the end of the successor");
      const { state } = await read(store, { id: successor, tenant: TENANT });
      equal(state, "completed", "the state of the successor");
    },
  },
  {
    rule: "redrive.race",
    name: "creates one successor for 50 concurrent redrives, with different ids and with the same id",
    check: async (store) => {
      const same = newId();
      for (const idOf of [newId, () => same]) {
        const { operation } = await createEnded(store, {}, FAILED);
        const ids = Array.from({ length: 50 }, idOf);
        const results = await concurrently(ids.length, (index) =>
          redrive(store, operation.id, { id: ids[index] ?? "" }),
        );
        const all = results.map((result) => isOutcome(result, "redriven", "redriving"));
        equal(all.filter(({ created }) => created).length, 1, "number of calls that created a successor");
        const { retriedBy } = await read(store, operation);
        deepEqual(
          new Set(all.map((each) => each.operationId)).size,
          1,
          "number of different successors returned",
        );
        equal(all[0]?.operationId, retriedBy, "the returned successor");
        for (const id of ids) {
          if (id !== retriedBy) equal(await begins(store, id), false, "beginning another successor");
        }
      }
    },
  },
  {
    rule: "redrive.chain",
    name: "redrives a successor that failed",
    check: async (store) => {
      const { failed, successor } = await createRedriven(store);
      const { lease } = await begin(store, successor);
      isOutcome(await store.settle(lease, FAILED), "settled", "failing the successor");
      const result = isOutcome(await redrive(store, successor), "redriven", "redriving the successor");
      const last = await read(store, { id: result.operationId, tenant: TENANT });
      deepEqual([last.state, last.retryOf], ["pending", successor], "the last operation");
      const first = await read(store, { id: failed, tenant: TENANT });
      equal(first.retriedBy, successor, "the successor of the first operation");
    },
  },
  {
    rule: "redrive.states",
    name: "redrives no unknown, unfinished or completed operation",
    check: async (store) => {
      isOutcome(await redrive(store, newId()), "unknown", "redriving an unknown operation");
      await refuses(store, (await createPending(store)).id, "pending");
      await refuses(store, (await createWorking(store)).operation.id, "pending");
      await refuses(store, (await createPreparing(store, LONG_MS)).operation.id, "preparing");
      await refuses(store, (await createEnded(store)).operation.id, "completed");
    },
  },
  {
    rule: "redrive.never-pending",
    name: "redrives an operation that failed after it was prepared, but not one that failed before",
    check: async (store) => {
      const stillborn = newOperation();
      await store.create(stillborn, { state: "failed", error: ERROR });
      await refuses(store, stillborn.id, "failed");
      const { operation: impossible, lease } = await createPreparing(store, LONG_MS);
      isOutcome(await store.settle(lease, FAILED), "settled", "failing the preparing operation");
      await refuses(store, impossible.id, "failed");
      const prepared = await createPreparing(store, LONG_MS);
      isOutcome(await store.settle(prepared.lease, PREPARED), "settled", "preparing");
      const { lease: work } = await begin(store, prepared.operation.id);
      isOutcome(await store.settle(work, FAILED), "settled", "failing the prepared operation");
      isOutcome(await redrive(store, prepared.operation.id), "redriven", "redriving the prepared operation");
    },
  },
  {
    rule: "redrive.principal",
    name: "keeps the principal of the failed operation, and names none if that operation has none",
    check: async (store) => {
      for (const principal of ["ann", undefined]) {
        const { successor } = await createRedriven(store, principal === undefined ? {} : { principal });
        const found = await read(store, { id: successor, tenant: TENANT });
        equal(found.principal, principal, "the principal of the successor");
        equal((await begin(store, successor)).operation.principal, principal, "the principal in its attempt");
      }
    },
  },
  {
    rule: "redrive.hidden",
    name: "hides the successor of a hidden operation",
    check: async (store) => {
      const { successor } = await createRedriven(store, { hidden: true });
      equal(await store.get(successor, TENANT), undefined, "the successor");
      equal((await begin(store, successor)).operation.hidden, true, "`hidden` in the attempt of the worker");
    },
  },
  {
    rule: "redrive.on-end",
    name: "gives the successor a follow-up with the requested id",
    check: async (store) => {
      const onEnd = newFollowUp();
      const { operation } = await createEnded(store, { onEnd }, FAILED);
      const first = await begin(store, onEnd.id, { name: onEnd.definition });
      const [id, onEndId] = [newId(), newId()];
      isOutcome(await redrive(store, operation.id, { id, onEndId }), "redriven", "redriving");
      equal(
        await begins(store, onEndId, { name: onEnd.definition }),
        false,
        "beginning the follow-up before the end",
      );
      const { lease } = await begin(store, id);
      isOutcome(await store.settle(lease, COMPLETED), "settled", "completing the successor");
      const { definition, input, retentionMs, failedRetentionMs } = (
        await begin(store, onEndId, { name: onEnd.definition })
      ).operation;
      const found = { ...onEnd, definition, input, retentionMs, failedRetentionMs };
      deepEqual(found, onEnd, "the follow-up of the successor");
      isOutcome(
        await store.renew(first.lease, { leaseMs: LONG_MS }),
        "renewed",
        "renewing the first follow-up",
      );
    },
  },
];
