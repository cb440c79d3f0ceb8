import { CANCELLED } from "../../contract/problem.js";
import type { BegunOperation, ClaimedDefinition, DueOperation, RunningLimits } from "../../ports/claim.js";
import type { OperationStore } from "../../ports/operation-store.js";
import { integer, json, type Row, text, toDue, toOperation } from "../shared/row.js";
import type { Gateway } from "./calls/gateway.js";
import type { LiveEntries } from "./live-entries.js";
import type { Changes } from "./notices/channels.js";
import type { Notifications } from "./notices/notifications.js";

/** Parts of the back end that claims use. */
export interface ClaimParts {
  readonly gateway: Gateway<unknown>;
  readonly notifications: Pick<Notifications, "beginLook">;
  readonly liveEntries: LiveEntries;
  readonly changes: Pick<Changes, "changed">;
}

/** Creates the function that claims due work from the table of operations, in one statement. */
export function createClaims({
  gateway,
  notifications,
  liveEntries,
  changes,
}: ClaimParts): OperationStore["claim"] {
  /** Turns of tenants, and the earliest leases, by definition: `claim_v1` returns them for the next claim. */
  const turns: Record<string, Row> = {};

  /** Whether the last claim began nothing. */
  let isIdle = true;

  return async ({ definitions, limit, token, operationId, repeated = false }) => {
    const endLook = notifications.beginLook();
    const names = definitions.map(({ name }) => name);
    const since = await liveEntries.since(names, isIdle);
    const rows = await gateway.call("claim_v1", [
      names,
      definitions.map(({ slots }) => slots),
      definitions.map(({ leaseMs }) => leaseMs),
      definitions.map(({ creates = true }) => creates),
      definitions.map(({ suspects }) => suspects),
      since,
      ...limitValues(definitions),
      definitions.map(({ lanes = false }) => lanes),
      JSON.stringify(turns),
      limit,
      token,
      repeated,
      CANCELLED,
      operationId ?? null,
    ]);
    const begun: BegunOperation[] = [];
    const ended: DueOperation[] = [];
    let again = repeated;
    let blocked = false;
    let nextInMs: number | undefined;
    for (const row of rows) {
      if (row.outcome === "begun") begun.push(toBegun(row));
      else if (row.outcome === "ended") ended.push(toDue(row));
      else if (row.outcome === "turns") turns[text(row, "definition")] = json(row, "meta");
      else if (row.outcome === "again") again = true;
      else if (row.outcome === "blocked") blocked = true;
      else nextInMs = integer(row, "place");
    }
    if (operationId === undefined) {
      isIdle = begun.length === 0;
      if (!again && begun.length < limit) endLook(emptied(definitions, begun));
    }
    for (const { operation } of begun) changes.changed(operation.id);
    for (const { id } of ended) changes.changed(id);
    const claimed = { begun, ended, again, blocked };
    return nextInMs === undefined ? claimed : { ...claimed, nextInMs };
  };
}

/** Returns the definitions of which there was less due work than free slots. */
function emptied(
  definitions: readonly ClaimedDefinition[],
  begun: readonly BegunOperation[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { operation } of begun)
    counts.set(operation.definition, (counts.get(operation.definition) ?? 0) + 1);
  return definitions.filter(({ name, slots }) => (counts.get(name) ?? 0) < slots).map(({ name }) => name);
}

/** Returns the limits of some calls, for all tenants and for each. Both lists are empty if no call has any. */
function limitValues(
  items: readonly { readonly limits?: RunningLimits | undefined }[],
): readonly [running: readonly number[], runningPerTenant: readonly number[]] {
  if (items.every(({ limits }) => limits === undefined)) return [[], []];
  return [
    items.map(({ limits }) => limits?.running ?? 0),
    items.map(({ limits }) => limits?.runningPerTenant ?? 0),
  ];
}

/** Converts the row of an attempt that has begun. */
function toBegun(row: Row): BegunOperation {
  return { operation: toOperation(row), previousLost: row.previous_lost === true };
}
