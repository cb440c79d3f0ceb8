import type { History } from "./history.js";

/** Returns what is wrong with the operations of a history: lost ones, ones that should not exist, and keys with two. */
export function checkLosses({ lines, operations }: History): readonly string[] {
  const wrong: string[] = [];
  const ofKey = new Map<string, string>();
  for (const line of lines) {
    if (line.what === "recorded") {
      const { operationId, key, kind, tenant } = line;
      if (!operations.has(operationId)) wrong.push(`${operationId} was recorded and is lost`);
      if (key === undefined) continue;
      const place = [tenant, kind, key].join(" ");
      const first = ofKey.get(place) ?? operationId;
      ofKey.set(place, first);
      if (first !== operationId) wrong.push(`key ${place} belongs to ${first} and to ${operationId}`);
    }
    if (line.what === "rolled back" && operations.has(line.operationId))
      wrong.push(`${line.operationId} was rolled back and exists`);
    if (line.what === "redriven" && line.outcome === "redriven") {
      const successor = operations.get(line.operationId);
      if (successor?.retryOf !== line.retryOf)
        wrong.push(`${line.retryOf} was redriven, and its successor is lost`);
    }
    if (line.what === "cancelled" && line.outcome === "cancelled") {
      const state = operations.get(line.operationId)?.state;
      if (state !== "failed") wrong.push(`${line.operationId} was cancelled and is ${state}`);
    }
  }
  for (const { id, state, definition } of operations.values())
    if (state !== "completed" && state !== "failed") wrong.push(`${id} of ${definition} is still ${state}`);
  return wrong;
}
