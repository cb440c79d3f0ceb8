import type { NewOperation } from "../../../contract/operation.js";

/** Shortens an operation id for a trace. */
export function short(id: string): string {
  return id.slice(-4);
}

/** Describes a submission in a trace. */
export function brief({ id, tenant, key, delayMs = 0, onEnd }: NewOperation): string {
  const delay = delayMs === 0 ? "" : ` in ${delayMs / 1_000} s`;
  const followUp = onEnd === undefined ? "" : ` then ${short(onEnd.id)}`;
  return `${tenant}/${key ?? "-"} ${short(id)}${delay}${followUp}`;
}
