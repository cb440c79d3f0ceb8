/** What the tenant of an operation must be, so that every store can keep it and tell it from all others. */
export const TENANT_RULE = "A tenant is a string of 1 to 255 UTF-16 code units, well formed and without NUL.";

/** Returns what is wrong with a tenant, or undefined. Does not quote it: it may be long, and it may be a secret. */
export function tenantProblem(tenant: unknown): string | undefined {
  if (typeof tenant !== "string") return `is ${tenant === undefined ? tenant : `a ${typeof tenant}`}`;
  if (tenant === "" || tenant.length > 255) return `has ${tenant.length} characters`;
  if (tenant.includes("\0")) return "contains NUL";
  return tenant.isWellFormed() ? undefined : "contains one half of a surrogate pair";
}
