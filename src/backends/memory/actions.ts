import type { ActionsTable } from "../../engine/actions.js";
import type { ActionsRequest, RecordedAction } from "../../ports/actions-store.js";
import type { Clock } from "../../ports/runtime.js";

/** Creates the table of actions. It has no indexes, because people act, and not often. */
export function createActionsTable(clock: Clock): ActionsTable {
  const actions = new Map<string, RecordedAction>();
  const sorted = (): RecordedAction[] => [...actions.values()].sort(newestFirst);
  return {
    now: () => clock.now(),
    save: (action) => {
      const known = actions.get(action.id);
      actions.set(action.id, known === undefined ? action : { ...known, facts: action.facts });
    },
    list: (request) =>
      sorted()
        .filter((action) => isAsked(action, request))
        .slice(0, request.limit),
    removeBefore: (time, limit) => {
      const old = sorted().filter(({ at }) => at < time);
      const removed = old.reverse().slice(0, limit);
      for (const { id } of removed) actions.delete(id);
      return removed.length;
    },
  };
}

function isAsked(
  action: RecordedAction,
  { definition, operationId, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: ActionsRequest,
): boolean {
  if (definition !== undefined && action.definition !== definition) return false;
  if (operationId !== undefined && action.operationId !== operationId) return false;
  return action.at >= from && action.at < to;
}

function newestFirst(one: RecordedAction, other: RecordedAction): number {
  if (one.at !== other.at) return other.at - one.at;
  return one.id < other.id ? 1 : -1;
}
