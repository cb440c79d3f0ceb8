import type { Definitions } from "../contract/definition/definitions.js";
import { misuse } from "../contract/options.js";
import { parseNameText } from "./object-name.js";

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

/** Throws `INVALID_OPTION` if the name is that of a share of a tenant, and there is no directory that fixes their number. */
export function refuseUnnumberedShard(name: string | undefined, directory: object | undefined): void {
  if (name === undefined || directory !== undefined || parseNameText(name).shards === 1) return;
  throw misuse(
    "The tenant has several objects, and createOperationsObject() has no `directory`, which fixes their number. Pass the binding " +
      "of a class with createDirectoryObject().",
  );
}

/** Throws `INVALID_OPTION` for definitions that need all operations of a tenant in one object. */
export function refuseUnshardable(definitions: Definitions): void {
  for (const { name, limits, serialBy } of definitions) {
    const names = [...Object.keys(limits ?? {}), ...(serialBy === undefined ? [] : ["serialBy"])];
    if (names.length > 0)
      throw misuse(
        `Definition "${name}" has \`${names[0]}\`, which needs all operations of a tenant in one object. Remove it, or \`shards\`.`,
      );
  }
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
