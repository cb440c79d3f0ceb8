import type { IdempotencyStore, Submissions } from "async-request-reply";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** What a column or a collation can make of the name of a tenant. */
const changes: readonly { readonly name: string; readonly change: (tenant: string) => string }[] = [
  { name: "cuts long tenants", change: (tenant) => tenant.slice(0, 254) },
  { name: "counts the limit of tenants in bytes", change: (tenant) => tenant.slice(0, 85) },
  { name: "normalizes tenants", change: (tenant) => tenant.normalize("NFC") },
  { name: "normalizes tenants for compatibility", change: (tenant) => tenant.normalize("NFKC") },
  { name: "compares tenants without regard to case", change: (tenant) => tenant.toLowerCase() },
  { name: "drops blanks at the ends of tenants", change: (tenant) => tenant.trimEnd() },
  {
    name: "loses characters beyond the basic plane",
    change: (tenant) => tenant.replace(/[^\0-\uffff]/gu, "?"),
  },
];

/** Operation stores that take two tenants for one. */
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

/** Idempotency stores that take two tenants for one. */
export const tenantClaimStores: readonly BrokenPort<IdempotencyStore>[] = changes.map(({ name, change }) => ({
  name,
  caughtBy: ["claim.tenants"],
  methods: (store) => ({
    claim: (claim) => store.claim({ ...claim, tenant: change(claim.tenant) }),
    release: (owner) => store.release({ ...owner, tenant: change(owner.tenant) }),
  }),
}));

/** Atomic steps that take two tenants for one. */
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
