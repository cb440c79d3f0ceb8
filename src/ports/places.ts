import type { Definitions } from "../contract/definition/definitions.js";
import { misuse } from "../contract/options.js";
import type { OperationStore } from "./operation-store.js";

/**
 * Checks that a store keeps the limits and lanes of definitions.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkPlaces(definitions: Definitions, { keepsPlaces }: OperationStore): void {
  if (keepsPlaces === true) return;
  for (const { name, limits, serialBy } of definitions) {
    const needs = [
      ...(limits?.running === undefined ? [] : ["limits.running"]),
      ...(limits?.runningPerTenant === undefined ? [] : ["limits.runningPerTenant"]),
      ...(serialBy === undefined ? [] : ["serialBy"]),
    ];
    if (needs.length === 0) continue;
    throw misuse(
      `The definition "${name}" has \`${needs[0]}\`, but the store of this back end does not keep limits and lanes. Leave it ` +
        "out, or use a store that has `keepsPlaces`, such as that of `createPostgresBackend({ pool })`.",
    );
  }
}
