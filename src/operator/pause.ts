import { type OptionTable, optional, readOptions } from "../contract/option-table.js";
import { misuse } from "../contract/options.js";
import { PRINCIPAL_RULE, tenantProblem } from "../contract/tenant.js";
import type { DefinitionStats } from "../ports/operation-reads.js";
import { checkKnown, type OperatorContext } from "./context.js";

/** Options of `Operator.pause`. */
export interface PauseOptions {
  /** Id of the person or program that pauses, for others to see: 1 to 255 UTF-16 code units. Default: none. */
  readonly by?: string | undefined;
}

const OPTIONS: OptionTable<PauseOptions> = {
  by: optional((value, name) => {
    const problem = tenantProblem(value);
    if (problem === undefined) return value as string;
    throw misuse(`Option \`${name}\` ${problem}. ${PRINCIPAL_RULE}`);
  }),
};

/** Counts of the operations of one definition, and whether it is paused. */
export interface DefinitionCounts extends Omit<DefinitionStats, "paused"> {
  /** When and by whom the definition was paused. Absent if it is not paused. */
  readonly paused?: { readonly since: Date; readonly by?: string };
}

/** Pauses a definition: see `Operator.pause`. */
export async function pause(
  context: OperatorContext,
  definition: string,
  options: PauseOptions = {},
): Promise<void> {
  const name = checkKnown(context, definition);
  const { by } = readOptions<PauseOptions>(options, OPTIONS, "operator.pause");
  await context.store.pause(name, by);
}

/** Resumes a definition: see `Operator.resume`. */
export async function resume(context: OperatorContext, definition: string): Promise<void> {
  const name = checkKnown(context, definition);
  await context.store.resume(name);
  // A script may exit right after this.
  await context.bell.ring({ definition: name });
}

/** Counts the operations of all definitions: see `Operator.stats`. */
export async function readStats({ store, names }: OperatorContext): Promise<readonly DefinitionCounts[]> {
  return (await store.stats({ definitions: names })).map(({ paused, ...counts }) =>
    paused === undefined ? counts : { ...counts, paused: { ...paused, since: new Date(paused.since) } },
  );
}
