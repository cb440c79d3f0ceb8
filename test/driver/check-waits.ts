import type { Operation } from "async-request-reply/ports";
import { byPosition } from "./check-places.js";
import { groupBy } from "./group-by.js";
import { type Attempt, attemptsOf, type History } from "./history.js";
import { kinds } from "./kinds.mjs";
import type { Line } from "./ledger.js";
import { lengthOf, type Span, whenMoreThan, without } from "./spans.js";

/** Slots of each process: see process.mjs. */
const SLOTS = 12;
/** A worker with a free slot claims again within this time, also on a busy machine. Milliseconds. */
const CLAIM_MS = 1_000;
/** After a disturbance, processes connect again, and leases of the dead end. Milliseconds. */
const SETTLES_MS = 4_000;

/**
 * Returns the operations that waited for longer than `mostMs` although they were due, a place was free, and a process with
 * a free slot was there, all the time. Those whose last attempt was lost are left out, because they wait on purpose.
 */
export function checkWaits(history: History, mostMs: number): readonly string[] {
  const attempts = attemptsOf(history);
  const disturbed = disturbancesOf(history);
  const blocked = blockedOf(history, attempts);
  const freeSlots = freeSlotsOf(history, attempts);
  return waitsOf(history).flatMap(({ operation, wait }) => {
    const eligible = without(wait, [...disturbed, ...blocked(operation)]).filter(
      (span) => lengthOf(span) > mostMs,
    );
    return eligible.flatMap((span) => {
      const longest = Math.max(
        0,
        ...freeSlots.map((free) => Math.min(free.to, span.to) - Math.max(free.from, span.from)),
      );
      if (longest <= mostMs) return [];
      const { id, definition, tenant, lane = "-" } = operation;
      return [
        `${id} of ${definition}, tenant ${tenant}, lane ${lane}, stood still for ${Math.round(longest)} ms ` +
          `from ${Math.round(span.from)} to ${Math.round(span.to)}, due at ${Math.round(wait.from)}`,
      ];
    });
  });
}

interface Wait {
  readonly operation: Operation;
  readonly wait: Span;
}

/** Returns when operations were due and did not run. */
function waitsOf({ lines, operations, end }: History): readonly Wait[] {
  const waits: Wait[] = [];
  const due = new Map<string, number>();
  const stop = (id: string, at: number): void => {
    const operation = operations.get(id);
    const from = due.get(id);
    due.delete(id);
    if (operation === undefined || from === undefined) return;
    const to = Math.min(at, operation.settledAt ?? at);
    if (to > from) waits.push({ operation, wait: { from, to } });
  };
  for (const line of lines) {
    if (line.what === "recorded" && !line.replayed) due.set(line.operationId, line.at + line.delayMs);
    else if (line.what === "redriven" && line.outcome === "redriven") due.set(line.operationId, line.at);
    else if (line.what === "operation.retried" || line.what === "operation.released")
      due.set(line.operationId, line.at + (line.delayMs ?? 1_000));
    else if (line.what === "begun") stop(line.operationId, line.at);
  }
  for (const id of [...due.keys()]) stop(id, end);
  return waits;
}

/** Returns when processes or the store could not do what they should. */
function disturbancesOf({ lines }: History): readonly Span[] {
  const frozen = new Map<string, number>();
  return lines.flatMap((line): readonly Span[] => {
    const { at, what, process } = line;
    if (what === "frozen") frozen.set(process, at);
    if (what === "thawed") return [{ from: frozen.get(process) ?? at, to: at + SETTLES_MS }];
    if (what === "lag" || what === "outage") return [{ from: line.since, to: at + SETTLES_MS }];
    if (what === "killed" || what === "stopping") return [{ from: at, to: at + SETTLES_MS }];
    return [];
  });
}

/** Returns the function that says when an operation could not begin: no place was free, or its definition was paused. */
function blockedOf(
  { lines, operations, end }: History,
  attempts: readonly Attempt[],
): (operation: Operation) => readonly Span[] {
  const held = attempts.flatMap(({ operationId, held: span }) => {
    const operation = operations.get(operationId);
    return operation === undefined ? [] : [{ ...span, operation }];
  });
  const heldBy = groupBy(held, ({ operation }) => operation.definition);
  const inLane = groupBy([...operations.values()], laneOf);
  const paused = pausesOf(lines, end);
  return (operation) => {
    const { definition, tenant } = operation;
    const { limits: { running = Infinity, runningPerTenant = Infinity } = {}, lanes } =
      kinds[definition] ?? {};
    const all = heldBy.get(definition) ?? [];
    const own = all.filter((each) => each.operation.tenant === tenant);
    const ahead = lanes === undefined ? [] : (inLane.get(laneOf(operation)) ?? []);
    return [
      ...(paused.get(definition) ?? []),
      ...whenMoreThan(running - 1, all),
      ...whenMoreThan(runningPerTenant - 1, own),
      ...ahead
        .filter((other) => byPosition(other, operation) < 0)
        .map(({ createdAt, settledAt = end }) => ({ from: createdAt, to: settledAt })),
    ];
  };
}

function laneOf({ definition, tenant, lane = "" }: Operation): string {
  return [definition, tenant, lane].join(" ");
}

/** A pause counts until every process that paused has resumed, except for processes that were killed in between. */
function pausesOf(lines: readonly Line[], end: number): ReadonlyMap<string, readonly Span[]> {
  const pauses = new Map<string, Span[]>();
  const open = new Map<string, { readonly from: number; readonly by: Set<string> }>();
  const killed = new Set<string>();
  const add = (kind: string, span: Span): void => void pauses.set(kind, [...(pauses.get(kind) ?? []), span]);
  for (const line of lines) {
    if (line.what === "killed") killed.add(line.process);
    if (line.what === "pausing") {
      const { from, by } = open.get(line.kind) ?? { from: line.at, by: new Set<string>() };
      open.set(line.kind, { from, by: by.add(line.process) });
    }
    if (line.what !== "resumed") continue;
    const pause = open.get(line.kind);
    if ([...(pause?.by ?? [])].some((name) => name !== line.process && !killed.has(name))) {
      pause?.by.delete(line.process);
      continue;
    }
    open.delete(line.kind);
    if (pause !== undefined) add(line.kind, { from: pause.from, to: line.at });
  }
  for (const [kind, { from }] of open) add(kind, { from, to: end });
  return pauses;
}

/**
 * Returns when each started worker had a free slot, without a break. While its claims fill all slots, more work is due than it can
 * do, even if attempts end during each claim.
 */
function freeSlotsOf({ lines, end }: History, attempts: readonly Attempt[]): readonly Span[] {
  const own = groupBy(attempts, ({ process }) => process);
  return lines.flatMap((line) => {
    if (line.what !== "started" || line.role !== "worker") return [];
    const after = lines.filter(({ at, process }) => process === line.process && at > line.at);
    const over = after.find(({ what }) => ["killed", "stopping", "frozen"].includes(what));
    const held = (own.get(line.process) ?? []).map((attempt) => attempt.held);
    const to = over?.at ?? end;
    return without({ from: line.at, to }, [...whenMoreThan(SLOTS - 1, held), ...fullClaims(after, end)]);
  });
}

/** Returns when the last claim of a process had filled all slots, at most a moment ago. */
function fullClaims(lines: readonly Line[], end: number): readonly Span[] {
  const claims = lines.flatMap((line) => (line.what === "claimed" ? [line] : []));
  return claims.flatMap(({ at, full }, index) =>
    full ? [{ from: at, to: Math.min(claims[index + 1]?.at ?? end, at + CLAIM_MS) }] : [],
  );
}
