import type { InspectedOperation, InspectRequest } from "../../../../ports/operation-reads.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal, ok } from "../../../expect.js";
import {
  begin,
  COMPLETED,
  createEnded,
  createPending,
  createWorking,
  LONG_MS,
  newId,
  type OperationStoreCheck,
  RETRIED,
  read,
} from "../fixtures.js";

const LIMITS = { runningPerTenant: 2 };

/** Reads an operation that must exist. */
async function inspected(store: OperationStore, request: InspectRequest): Promise<InspectedOperation> {
  const found = await store.inspect?.(request);
  ok(found !== undefined, "expected to read an operation that was created");
  return found as InspectedOperation;
}

/** Checks that a time is so long after the creation, as far as the clock goes on meanwhile. */
function isAbout({ operation, dueAt, isDue }: InspectedOperation, expected: number, what: string): void {
  const ms = (dueAt ?? Number.NaN) - operation.createdAt;
  ok(ms >= expected && ms < expected + LONG_MS / 2, `${what}: ${ms} instead of ${expected}`);
  equal(isDue, expected === 0, `${what}, as over`);
}

export const inspectChecks: readonly OperationStoreCheck[] = [
  {
    rule: "inspect.operation",
    needs: ["inspect"],
    name: "reads an operation of any tenant as `getMany` does, and no unknown one",
    check: async (store) => {
      const { id } = await createPending(store, { hidden: true, tenant: "tenant-2", meta: "{}" });
      const { operation } = await inspected(store, { id });
      deepEqual([operation], await store.getMany([id]), "the operation");
      equal(await store.inspect?.({ id: newId() }), undefined, "an unknown operation");
      equal(await store.inspect?.({ id: "no id" }), undefined, "an invalid id");
    },
  },
  {
    rule: "inspect.due",
    needs: ["inspect"],
    name: "tells when an operation is due next, or when its lease ends, until it has ended",
    check: async (store) => {
      const delayed = await createPending(store, { delayMs: LONG_MS });
      isAbout(await inspected(store, delayed), LONG_MS, "the end of a delay");
      const { operation, lease } = await createWorking(store, 2 * LONG_MS);
      isAbout(await inspected(store, operation), 2 * LONG_MS, "the end of a lease");
      await store.settle(lease, { ...RETRIED, delayMs: 3 * LONG_MS });
      isAbout(await inspected(store, operation), 3 * LONG_MS, "the time of a retry");
      isAbout(await inspected(store, await createPending(store)), 0, "the time of work that is due");
      const ended = await createEnded(store);
      const { dueAt, isDue } = await inspected(store, ended.operation);
      deepEqual([dueAt, isDue], [undefined, undefined], "the time after the end");
    },
  },
  {
    rule: "inspect.token",
    needs: ["inspect"],
    name: "returns the token of the current attempt, and of the one that ended the operation",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      equal((await inspected(store, operation)).token, lease.token, "the token of an attempt");
      await store.settle(lease, RETRIED);
      equal((await inspected(store, operation)).token, undefined, "the token between attempts");
      const last = await begin(store, operation.id);
      await store.settle(last.lease, COMPLETED);
      equal((await inspected(store, operation)).token, last.lease.token, "the token after the end");
      equal((await read(store, operation)).state, "completed", "the state");
    },
  },
  {
    rule: "inspect.places",
    needs: ["inspect", "limits"],
    name: "counts the live leases of the tenant and definition, if it is asked to",
    check: async (store) => {
      const waiting = await createPending(store);
      for (const members of [{}, {}, { tenant: "tenant-2" }, { definition: "reports" }]) {
        const { id, definition } = await createPending(store, members);
        await begin(store, id, { name: definition, limits: LIMITS });
      }
      const { runningOfTenant } = await inspected(store, { id: waiting.id, places: true });
      equal(runningOfTenant, 2, "the number of live leases");
      equal(
        (await inspected(store, waiting)).runningOfTenant,
        undefined,
        "the number that nothing asked for",
      );
    },
  },
];
