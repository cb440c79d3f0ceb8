import type { JsonText } from "../contract/operation.js";

/** Kind of an action. `redrive-many`: one or several calls that ran failed operations of one filter again. */
export type ActionKind = "cancel" | "redrive" | "redrive-many" | "pause" | "resume";

/** A change that an operator made. */
export interface Action {
  /** Id of the action. A text of at most 255 UTF-16 code units. */
  readonly id: string;
  /** Kind of the change. */
  readonly action: ActionKind;
  /** Name of the definition. Absent if there can be several. */
  readonly definition?: string;
  /** Id of the operation. Absent if the action is not about a single one. */
  readonly operationId?: string;
  /** Id of the person or program that acted. Absent if unknown. */
  readonly by?: string;
  /** Page or program through which it was done. Absent if unknown. */
  readonly via?: string;
  /** Everything else that is known, such as a filter and counts: a JSON object. */
  readonly facts: JsonText;
}

/** An action and when it was recorded. */
export interface RecordedAction extends Action {
  /** By the clock of the store. Epoch milliseconds. */
  readonly at: number;
}

/** Request to read actions. All times are epoch milliseconds. */
export interface ActionsRequest {
  /** Only actions with the name of this definition. */
  readonly definition?: string;
  /** Only actions with the id of this operation. */
  readonly operationId?: string;
  /** Only actions at this time or later. */
  readonly from?: number;
  /** Only actions before this time. */
  readonly to?: number;
  /** Maximum number of actions. */
  readonly limit: number;
}

/** Keeps what operators did, in the same store as the operations. Every method is atomic, and throws like those of the operation store. */
export interface ActionsStore {
  /** Records an action. If its id is known, replaces the facts and nothing else. */
  record(action: Action): Promise<void>;

  /** Returns actions, newest first, and of the same time by their ids, the highest first. */
  list(request: ActionsRequest): Promise<readonly RecordedAction[]>;

  /** Deletes actions that are older than 90 days, the oldest first. Returns how many it deleted, at most `limit`. */
  purge(request: { readonly limit: number }): Promise<number>;
}

/** How long actions are kept. Milliseconds. */
export const ACTIONS_KEPT_MS = 7_776_000_000;
