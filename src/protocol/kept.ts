import type { OperationDefinition } from "../contract/definition/definition.js";
import type { Definitions } from "../contract/definition/definitions.js";
import { misuse } from "../contract/options.js";
import type { Backend } from "../ports/backend.js";
import type { Kept, OperationStore } from "../ports/operation-store.js";

/**
 * Checks that a back end keeps what definitions ask for.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkKept(
  definitions: Definitions,
  { operations, output }: Pick<Backend, "operations" | "output">,
): void {
  for (const definition of definitions) {
    for (const [option, needed] of needsOf(definition))
      checkKeeps(operations, needed, `The definition "${definition.name}" has \`${option}\``);
    if (output === undefined) refuseOutput(definition);
  }
}

function refuseOutput({ name, chunk, checkpoint }: OperationDefinition): void {
  if (chunk === undefined && checkpoint === undefined) return;
  const option = chunk === undefined ? "checkpoint" : "chunk";
  throw misuse(
    `The definition "${name}" has \`${option}\`, but this back end keeps no output: it has no member \`output\`. Leave it out, ` +
      "or use a back end that keeps output, such as `createPostgresBackend({ pool })`.",
  );
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
