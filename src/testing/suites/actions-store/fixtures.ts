import type { Action, RecordedAction } from "../../../ports/actions-store.js";
import type { Backend } from "../../../ports/backend.js";
import { newToken } from "../operation-store/fixtures.js";
import type { PortCheck, PortHarness } from "../port-case.js";

/** A back end with a store of actions. */
export type ActionsBackend = Required<Pick<Backend, "operations" | "actions">>;

/** Creates back ends for `actionsStoreCases`. */
export type ActionsStoreHarness = PortHarness<ActionsBackend>;

export type ActionsStoreCheck = PortCheck<ActionsBackend, ActionsStoreHarness>;

/** More actions than any case records. */
export const ALL = { limit: 1_000 } as const;

/** Returns an action with a new id. */
export function newAction(given: Partial<Action> = {}): Action {
  return { id: newToken(), action: "pause", facts: "{}", ...given };
}

/** Returns the ids of actions. */
export function idsOf(actions: readonly Pick<RecordedAction, "id">[]): readonly string[] {
  return actions.map(({ id }) => id);
}
