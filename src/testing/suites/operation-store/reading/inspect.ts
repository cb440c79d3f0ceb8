import type { InspectedOperation, InspectRequest } from "../../../../ports/operation-reads.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal, ok } from "../../../expect.js";
import {
  begin,
  COMPLETED,
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

/** Checks that a time is the one that was asked for, as far as the clock goes on meanwhile. */
function isAbout(ms: number | undefined, expected: number, what: string): void {
  ok(ms !== undefined && ms <= expected && ms > expected - LONG_MS / 2, `${what}: ${ms} instead of ${expected}`);
}

/** A store may leave the method out. Then there is nothing to check. */
const inspecting = (check: OperationStoreCheck): OperationStoreCheck => ({
  ...check,
  check: async (store, harness) => {
    if (store.inspect !== undefined) await check.check(store, harness);
  },
});

const checks: readonly OperationStoreCheck[] = [
  {
    rule: "inspect.operation",
    name: "reads an operation of any tenant as `getMany` does, and no unknown one",
    check: async (store) => {
      const { id } = await createPending(store, { hidden: true, tenant: "tenant-2", meta: "{}" });
      const { operation } = await inspected(store, { id });
      deepEqual([operation], await store.getMany([id]), "the operation");
      equal(await store.inspect?.({ id: newId() }), undefined, "an unknown operation");
      equal(await store.inspect?.({ id: "no id" }), undefined, "an id that is none");
    },
  },
  {
    rule: "inspect.due",
    name: "tells when an operation is due next, or when its lease ends, until it has ended",
    check: async (store) => {
      const delayed = await createPending(store, { delayMs: LONG_MS });
      isAbout((await inspected(store, delayed)).dueInMs, LONG_MS, "the time until a delay is over");
      const { operation, lease } = await createWorking(store, 2 * LONG_MS);
      isAbout((await inspected(store, operation)).dueInMs, 2 * LONG_MS, "the time until a lease ends");
      await store.settle(lease, { ...RETRIED, delayMs: 3 * LONG_MS });
      isAbout((await inspected(store, operation)).dueInMs, 3 * LONG_MS, "the time until a retry is due");
      const other = await createWorking(store, LONG_MS);
      await store.settle(other.lease, COMPLETED);
      equal((await inspected(store, other.operation)).dueInMs, undefined, "the time after the end");
      const due = await createPending(store);
      const { dueInMs } = await inspected(store, due);
      ok(dueInMs !== undefined && dueInMs <= 0, `expected an operation that is due, not in ${dueInMs}`);
    },
  },
  {
    rule: "inspect.token",
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
    name: "counts the live leases of the tenant and definition, if it is asked to",
    check: async (store) => {
      if (!store.keeps.includes("limits")) return;
      const waiting = await createPending(store);
      for (const members of [{}, {}, { tenant: "tenant-2" }, { definition: "reports" }]) {
        const { id, definition } = await createPending(store, members);
        await begin(store, id, { name: definition, limits: LIMITS });
      }
      const { runningOfTenant } = await inspected(store, { id: waiting.id, places: true });
      equal(runningOfTenant, 2, "the number of live leases");
      equal((await inspected(store, waiting)).runningOfTenant, undefined, "the number that nothing asked for");
    },
  },
];

export const inspectChecks: readonly OperationStoreCheck[] = checks.map(inspecting);
