/** Rule for tenants that lets every store keep them and tell them apart. */
export const TENANT_RULE = "A tenant is a string of 1 to 255 UTF-16 code units, well formed and without NUL.";

/** Returns what is wrong with a tenant, or undefined. Does not quote the tenant, because it may be long or a secret. */
export function tenantProblem(tenant: unknown): string | undefined {
  if (typeof tenant !== "string") return `is ${tenant === undefined ? tenant : `a ${typeof tenant}`}`;
  if (tenant === "" || tenant.length > 255) return `has ${tenant.length} characters`;
  if (tenant.includes("\0")) return "contains NUL";
  return tenant.isWellFormed() ? undefined : "contains a lone surrogate";
}
