import { deepEqual, equal } from "../../../expect.js";
import { TENANTS } from "../../tenants.js";
import {
  begin,
  COMPLETED,
  createEnded,
  createPending,
  createPreparing,
  createWorking,
  FAILED,
  LONG_MS,
  newId,
  type OperationStoreCheck,
  read,
} from "../fixtures.js";

export const getChecks: readonly OperationStoreCheck[] = [
  {
    rule: "get.unknown",
    name: "returns undefined for an unknown id",
    check: async (store) => {
      await createPending(store);
      equal(await store.get(newId(), "tenant-1"), undefined, "an unknown operation");
    },
  },
  {
    rule: "get.tenant",
    name: "returns undefined to another tenant in every state of the operation",
    check: async (store) => {
      const { operation: preparing } = await createPreparing(store, LONG_MS);
      const { operation, lease } = await createWorking(store);
      for (const tenant of ["tenant-2", "", "tenant-1 ", "TENANT-1", "tenant-%"]) {
        equal(
          await store.get(preparing.id, tenant),
          undefined,
          "a preparing operation, read by another tenant",
        );
        equal(
          await store.get(operation.id, tenant),
          undefined,
          "a pending operation, read by another tenant",
        );
      }
      await store.settle(lease, COMPLETED);
      equal(
        await store.get(operation.id, "tenant-2"),
        undefined,
        "an ended operation, read by another tenant",
      );
    },
  },
  {
    rule: "get.tenants",
    name: "distinguishes tenants exactly, up to 255 UTF-16 code units of any script",
    check: async (store) => {
      const ids = new Map<string, string>();
      for (const tenant of TENANTS) ids.set(tenant, (await createPending(store, { tenant })).id);
      for (const tenant of TENANTS) {
        const shown = `of the tenant ${JSON.stringify(tenant)}`;
        const cancelled = tenant === "acme" || (await store.requestCancel(ids.get("acme") ?? "", tenant));
        if (cancelled !== true) equal(cancelled, "unknown", `cancelling another operation ${shown}`);
        for (const [owner, id] of ids) {
          const found = (await store.get(id, tenant))?.tenant;
          equal(found, owner === tenant ? tenant : undefined, `the operation read ${shown}`);
        }
      }
    },
  },
  {
    rule: "get.hidden",
    name: "returns undefined for a hidden operation, which can still be worked on",
    check: async (store) => {
      const { id, tenant } = await createPending(store, { hidden: true });
      equal(await store.get(id, tenant), undefined, "a hidden operation");
      const { operation, lease } = await begin(store, id);
      equal(operation.hidden, true, "`hidden` in the attempt of the worker");
      await store.settle(lease, COMPLETED);
      equal(await store.get(id, tenant), undefined, "a hidden operation that has ended");
    },
  },
  {
    rule: "get.copy",
    name: "returns a copy that later changes do not affect",
    check: async (store) => {
      const { operation, lease } = await createWorking(store);
      const first = await read(store, operation);
      const before = structuredClone(first);
      await store.renew(lease, { leaseMs: LONG_MS, progress: "1" });
      await store.settle(lease, COMPLETED);
      deepEqual(first, before, "the operation read before the change");
    },
  },
  {
    rule: "failed-retention.read",
    name: "returns both retentions to readers and workers, and no default",
    check: async (store) => {
      const own = await createPending(store, { failedRetentionMs: 0 });
      const attempt = await begin(store, own.id);
      for (const { retentionMs, failedRetentionMs } of [await read(store, own), attempt.operation])
        deepEqual([retentionMs, failedRetentionMs], [LONG_MS, 0], "the retentions");
      const { operation: plain } = await createEnded(store, {}, FAILED);
      equal((await read(store, plain)).failedRetentionMs, undefined, "`failedRetentionMs`, if it was absent");
    },
  },
];
