import { isAsyncReplyError } from "../contract/errors.js";
import type { ActionFilter, OperatorAction } from "../operator/actions.js";
import type { Call, ConsoleContext } from "./context.js";

/** Number of actions of one reply. */
const MOST = 100;
/** Number of the most recent actions on the page of a definition. */
const RECENT = 10;

/** Reads what operators did. Returns undefined if the back end keeps no actions. */
export async function readActions(
  { operator }: Pick<ConsoleContext, "operator">,
  filter: ActionFilter,
): Promise<readonly OperatorAction[] | undefined> {
  try {
    return await operator.actions({ limit: MOST, ...filter });
  } catch (error) {
    if (isAsyncReplyError(error) && error.code === "NOT_SUPPORTED") return undefined;
    throw error;
  }
}

/** Reads the most recent actions on a definition. The operator checks its name. */
export async function readRecentActions(
  context: ConsoleContext,
  { query }: Call,
): Promise<{ readonly actions: readonly OperatorAction[] }> {
  const definition = query.get("definition") ?? "";
  return { actions: (await readActions(context, { definition, limit: RECENT })) ?? [] };
}
