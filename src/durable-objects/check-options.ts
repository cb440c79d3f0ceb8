import type { Definitions } from "../contract/definition/definitions.js";
import { misuse } from "../contract/options.js";

/** Throws `INVALID_OPTION` for limits of all tenants: each object would count its own, and exceed what the definition allows. */
export function refuseSharedLimits(definitions: Definitions): void {
  for (const { name, limits } of definitions)
    for (const limit of ["running", "pending"] as const)
      if (limits?.[limit] !== undefined)
        throw misuse(
          `Definition "${name}" limits \`${limit}\` of all tenants together, and each tenant has its own object. Limit ` +
            `\`${limit}PerTenant\`, or pass \`perObject: true\` to createOperationsObject().`,
        );
}

/** An input, a result and a report of progress must fit into their rows. Bytes. */
const MAX_VALUE_BYTES = 900_000;

/** Throws `INVALID_OPTION` for limits of values that would be accepted and that no row holds. */
export function refuseLargeValues(limits: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(limits))
    if (value !== undefined && value > MAX_VALUE_BYTES)
      throw misuse(
        `Option \`${name}\` is ${value}, and a row of an object holds 2 MB. Choose at most ${MAX_VALUE_BYTES}, and keep larger ` +
          "values in your own storage.",
      );
}
