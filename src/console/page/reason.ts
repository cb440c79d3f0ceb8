import { maskMessage } from "../../operator/mask-message.js";
import { messageOf } from "../../operator/message-of.js";
import type { OperationSummary } from "../../operator/summary.js";
import type { Sent } from "../wire.js";

type Listed = Sent<OperationSummary>;

/** Returns why an operation failed, or is retried. */
export function reasonOf({ error, lastError, status }: Listed): string {
  if (error === undefined) return status === "completed" ? "" : (lastError?.detail ?? "");
  const { name = error.type } = error;
  const detail = messageOf({ error, lastError });
  return detail === undefined ? name : `${name}: ${detail}`;
}

/** Returns the same text for operations of one definition with one reason, apart from variable parts such as ids. */
export function kindOf(operation: Listed): string {
  const reason = reasonOf(operation);
  if (reason === "") return "";
  const { definition, status } = operation;
  return JSON.stringify([definition, status, maskMessage(reason)]);
}
