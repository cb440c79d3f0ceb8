import { readOptions } from "../contract/options.js";
import type { DefinitionStats } from "../ports/operation-reads.js";
import { ACTION_OPTIONS, type ActionOptions, recordAction } from "./act.js";
import { checkKnown, type OperatorContext } from "./context.js";

/** Counts of the operations of one definition, and whether it is paused. */
export interface DefinitionCounts extends Omit<DefinitionStats, "paused"> {
  /** When and by whom the definition was paused. Absent if it is not paused. */
  readonly paused?: { readonly since: Date; readonly by?: string };
}

/** Pauses a definition: see `Operator.pause`. */
export async function pause(
  context: OperatorContext,
  definition: string,
  options: ActionOptions = {},
): Promise<void> {
  const name = checkKnown(context, definition);
  const by = readOptions<ActionOptions>(options, ACTION_OPTIONS, "operator.pause");
  const was = await isPaused(context, name);
  await context.store.pause(name, by.by);
  if (was !== true) await recordAction(context, { event: { action: "pause", definition: name } }, by);
}

/** Resumes a definition: see `Operator.resume`. */
export async function resume(
  context: OperatorContext,
  definition: string,
  options: ActionOptions = {},
): Promise<void> {
  const name = checkKnown(context, definition);
  const by = readOptions<ActionOptions>(options, ACTION_OPTIONS, "operator.resume");
  const was = await isPaused(context, name);
  await context.store.resume(name);
  // A script may exit right after this.
  const rung = context.bell.ring({ definition: name });
  if (was !== false) await recordAction(context, { event: { action: "resume", definition: name } }, by);
  await rung;
}

/** Returns undefined if the store does not tell, because a pause must work as long as it can. */
async function isPaused({ store }: OperatorContext, definition: string): Promise<boolean | undefined> {
  try {
    const [stats] = await store.stats({ definitions: [definition] });
    return stats?.paused !== undefined;
  } catch {
    return undefined;
  }
}

/** Counts the operations of all definitions: see `Operator.stats`. */
export async function readStats({ store, names }: OperatorContext): Promise<readonly DefinitionCounts[]> {
  return (await store.stats({ definitions: names })).map(({ paused, ...counts }) =>
    paused === undefined ? counts : { ...counts, paused: { ...paused, since: new Date(paused.since) } },
  );
}
