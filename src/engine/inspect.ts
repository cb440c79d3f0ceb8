import { isTerminal } from "../contract/operation.js";
import type { InspectedOperation, InspectRequest } from "../ports/operation-reads.js";
import type { Entry } from "./entry.js";
import type { ClaimTable } from "./table.js";

/** Reads an operation, and what only its store knows of it. */
export function inspect<Found extends Entry, Named>(
  table: Pick<ClaimTable<Found, Named>, "find" | "now" | "countLive">,
  { id, places = false }: InspectRequest,
): InspectedOperation | undefined {
  const entry = table.find(id);
  if (entry === undefined) return undefined;
  const { operation, token } = entry;
  const { definition, tenant, state } = operation;
  const dueAt = token === undefined ? entry.dueAt : entry.leaseEndsAt;
  return {
    operation,
    ...(token !== undefined && { token }),
    ...(!isTerminal(state) && { dueAt, isDue: dueAt <= table.now() }),
    ...(places && { runningOfTenant: table.countLive(definition, tenant) }),
  };
}
