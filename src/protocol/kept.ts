import type { OperationDefinition } from "../contract/definition/definition.js";
import type { Definitions } from "../contract/definition/definitions.js";
import { misuse } from "../contract/options.js";
import type { Kept, OperationStore } from "../ports/operation-store.js";

/**
 * Checks that a store keeps what definitions ask for.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkKept(definitions: Definitions, store: OperationStore): void {
  for (const definition of definitions)
    for (const [option, needed] of needsOf(definition))
      checkKeeps(store, needed, `The definition "${definition.name}" has \`${option}\``);
}

/**
 * Checks that a store keeps something.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param subject What needs it, as the start of a sentence.
 */
export function checkKeeps({ keeps }: OperationStore, needed: Kept, subject: string): void {
  if (keeps.includes(needed)) return;
  throw misuse(
    `${subject}, but the operation store of this back end does not keep ${needed}: its \`keeps\` lacks "${needed}". Leave it ` +
      `out, or use a store that keeps ${needed}, such as that of \`createPostgresBackend({ pool })\`.`,
  );
}

function needsOf({
  startWithinMs,
  serialBy,
  limits,
}: OperationDefinition): readonly (readonly [string, Kept])[] {
  const given = [
    ["startWithinMs", startWithinMs, "deadlines"],
    ["serialBy", serialBy, "lanes"],
    ["limits.running", limits?.running, "limits"],
    ["limits.runningPerTenant", limits?.runningPerTenant, "limits"],
  ] as const;
  return given.filter(([, value]) => value !== undefined).map(([option, , needed]) => [option, needed]);
}
