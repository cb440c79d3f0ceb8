/** Rule for tenants that lets every store keep them and tell them apart. */
export const TENANT_RULE = "A tenant is a string of 1 to 255 UTF-16 code units, well formed and without NUL.";

/** Rule for ids of principals, which are stored like tenants. */
export const PRINCIPAL_RULE =
  "The id of a principal is a string of 1 to 255 UTF-16 code units, well formed and without NUL.";

/**
 * Returns what is wrong with a tenant, with the id of a principal or with a lane, or undefined. Does not quote it, because
 * it may be long or a secret.
 */
export function tenantProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return `is ${value === undefined ? value : `a ${typeof value}`}`;
  if (value === "" || value.length > 255) return `has ${value.length} characters`;
  if (value.includes("\0")) return "contains NUL";
  return value.isWellFormed() ? undefined : "contains a lone surrogate";
}
