import type { IdempotencyStore } from "async-request-reply";
import type { Submissions } from "async-request-reply/ports";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Changes that a column or a collation may make to the name of a tenant. */
const changes: readonly { readonly name: string; readonly change: (tenant: string) => string }[] = [
  { name: "truncates long tenants", change: (tenant) => tenant.slice(0, 254) },
  { name: "limits the bytes of tenants", change: (tenant) => tenant.slice(0, 85) },
  { name: "normalizes tenants", change: (tenant) => tenant.normalize("NFC") },
  { name: "normalizes tenants with compatibility forms", change: (tenant) => tenant.normalize("NFKC") },
  { name: "ignores the case of tenants", change: (tenant) => tenant.toLowerCase() },
  { name: "trims spaces at the ends of tenants", change: (tenant) => tenant.trimEnd() },
  {
    name: "loses characters outside the basic plane",
    change: (tenant) => tenant.replace(/[^\0-\uffff]/gu, "?"),
  },
];

/** Operation stores that confuse two tenants. */
export const tenantStores: readonly BrokenPort<TrackedStore>[] = changes.map(({ name, change }) => ({
  name,
  caughtBy: ["get.tenants"],
  methods: (store) => ({
    create: (operation, initial) => store.create({ ...operation, tenant: change(operation.tenant) }, initial),
    get: async (id, tenant) => {
      const operation = await store.get(id, change(tenant));
      return operation && { ...operation, tenant };
    },
  }),
}));

/** Operation stores that cancel for another tenant. */
export const cancellingForOthers: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "cancels for a tenant that differs in case",
    caughtBy: ["get.tenants"],
    methods: (store) => ({
      requestCancel: (id, tenant) => store.requestCancel(id, tenant.toLowerCase()),
    }),
  },
];

/** Idempotency stores that confuse two tenants. */
export const tenantBindingStores: readonly BrokenPort<IdempotencyStore>[] = changes.map(
  ({ name, change }) => ({
    name,
    caughtBy: ["bind.tenants"],
    methods: (store) => ({
      bind: (binding) => store.bind({ ...binding, tenant: change(binding.tenant) }),
      release: (owner) => store.release({ ...owner, tenant: change(owner.tenant) }),
    }),
  }),
);

/** Atomic submissions that confuse two tenants. */
export const tenantSubmissions: readonly BrokenPort<Submissions<unknown>>[] = changes.map(
  ({ name, change }) => ({
    name,
    caughtBy: ["record.tenants"],
    methods: (submissions) => ({
      record: (submission) => {
        const { operation } = submission;
        return submissions.record({
          ...submission,
          operation: { ...operation, tenant: change(operation.tenant) },
        });
      },
    }),
  }),
);
