import { AsyncReplyError } from "../../contract/errors.js";
import { DETAILS } from "../shared/details.js";

/** Returns the error for an operation that the store has no room for. */
export function storeFull(maxOperations: number): AsyncReplyError {
  const eventDetail =
    `The memory back end holds at most \`maxOperations\` operations (${maxOperations}). Raise the option, or shorten ` +
    "`retentionMs` of the definitions.";
  return new AsyncReplyError("OVERLOADED", DETAILS.full, { eventDetail, recorded: "no" });
}
