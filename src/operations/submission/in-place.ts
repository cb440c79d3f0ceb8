import { isAsyncReplyError } from "../../contract/errors.js";
import { isTerminal } from "../../contract/operation.js";
import type { Backlog } from "../../protocol/backlog.js";
import type { Accepted } from "./accepted.js";

/** A place of the backlog that a submission may hold. */
export type HeldPlace = Awaited<ReturnType<Backlog["admit"]>>;

/**
 * Records a submission that holds a place of the backlog, and gives the place back unless a new operation is unfinished or
 * may be.
 */
export async function inPlace(place: HeldPlace, record: () => Promise<Accepted>): Promise<Accepted> {
  try {
    const accepted = await record();
    const { replayed, operation } = accepted;
    if (replayed || (operation !== undefined && isTerminal(operation.state))) place?.giveBack();
    return accepted;
  } catch (error) {
    if (changedNothing(error)) place?.giveBack();
    throw error;
  }
}

/** Returns whether an error says that the call recorded nothing. */
export function changedNothing(error: unknown): boolean {
  return isAsyncReplyError(error) && error.context.recorded === "no";
}
