import type { IdempotencyStore } from "async-request-reply";
import type { Submissions } from "async-request-reply/ports";
import { creating } from "../changed-calls.js";
import { type BrokenPort, caughtBy, named } from "./prove.js";
import { recording } from "./recorder.js";
import type { TrackedStore } from "./tracked-store.js";

/** Changes that a column or a collation may make to the name of a tenant. */
const changes: Readonly<Record<string, (tenant: string) => string>> = {
  "truncates long tenants": (tenant) => tenant.slice(0, 254),
  "limits the bytes of tenants": (tenant) => tenant.slice(0, 85),
  "normalizes tenants": (tenant) => tenant.normalize("NFC"),
  "normalizes tenants with compatibility forms": (tenant) => tenant.normalize("NFKC"),
  "ignores the case of tenants": (tenant) => tenant.toLowerCase(),
  "trims spaces at the ends of tenants": (tenant) => tenant.trimEnd(),
  "loses characters outside the basic plane": (tenant) => tenant.replace(/[^\0-\uffff]/gu, "?"),
};

/** Builds a port for each change of tenants. */
function withTenants<Port>(
  rule: string,
  methods: (port: Port, change: (tenant: string) => string) => Partial<Port>,
): readonly BrokenPort<Port>[] {
  return Object.entries(changes).map(([name, change]) => ({
    name,
    ...caughtBy<Port>([rule], (port) => methods(port, change)),
  }));
}

/** Operation stores that confuse two tenants. */
export const tenantStores = withTenants<TrackedStore>("get.tenants", (store, change) => ({
  ...creating(store, (operation) => ({ ...operation, tenant: change(operation.tenant) })),
  get: async (id, tenant) => {
    const operation = await store.get(id, change(tenant));
    return operation && { ...operation, tenant };
  },
}));

/** Operation stores that cancel for another tenant. */
export const cancellingForOthers = named<TrackedStore>({
  "cancels for a tenant that differs in case": caughtBy(["get.tenants"], (store) => ({
    requestCancel: (id, tenant) => store.requestCancel(id, tenant.toLowerCase()),
  })),
});

/** Idempotency stores that confuse two tenants. */
export const tenantBindingStores = withTenants<IdempotencyStore>("bind.tenants", (store, change) => ({
  bind: (binding) => store.bind({ ...binding, tenant: change(binding.tenant) }),
  release: (owner) => store.release({ ...owner, tenant: change(owner.tenant) }),
}));

/** Atomic submissions that confuse two tenants. */
export const tenantSubmissions = withTenants<Submissions<unknown>>("record.tenants", (submissions, change) =>
  recording(submissions, (operation) => ({ ...operation, tenant: change(operation.tenant) })),
);
