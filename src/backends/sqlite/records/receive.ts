import type { FreeDefinition, Looked, Received } from "../../shared/due-consumer.js";
import { begin } from "../../shared/entry.js";
import type { Row } from "../../shared/row.js";
import type { Changed } from "../connection/connection.js";
import type { Statements } from "../connection/statements.js";
import { IN_TIME, selectByTurns } from "./by-turns.js";
import { type StoredEntry, toEntry } from "./entry-row.js";
import { isPaused } from "./operator-queries.js";
import { type Records, withInput } from "./records.js";
import { Turns } from "./turns.js";

/** Options of {@link createReceiver}. */
export interface ReceiverOptions {
  readonly statements: Statements;
  readonly records: Records;
  /** Returns a random text. */
  readonly newToken: () => string;
}

/** Receives due operations. Its methods run within a transaction or a single statement. */
export interface Receiver {
  /** Returns whether any of the definitions may have due work. */
  hasDue(definitions: readonly FreeDefinition[]): boolean;
  /** Begins due operations, with the token of the receipt. */
  receive(definitions: readonly FreeDefinition[], limit: number, token: string, changed: Changed): Looked;
  /** Returns the operations that an earlier call began with this token. */
  repeat(definitions: readonly FreeDefinition[], token: string, changed: Changed): readonly Received[];
}

// The conditions name the columns of the partial indexes.
const LOST = `${withInput("arr_operations_leased")}
  where o.definition = ? and o.announce_at is not null and o.token is not null and o.lease_ends_at <= ?
  and (? = 1 or o.state <> 'preparing') and (? = 1 or o.cancel_requested = 1)
  and (? = 0 or o.cancel_requested = 1 or o.state = 'preparing')
  order by o.lease_ends_at limit ?`;
const WAITING = `${withInput("arr_operations_waiting")}
  where o.definition = ? and o.announce_at is not null and o.token is null and o.behind = 0 and o.due_at <= ?
  and (? = 1 or o.state <> 'preparing') and (? = 1 or o.previous_lost = 0) and ${IN_TIME} order by o.due_at limit ?`;
const DUE = `select count(*) as waiting from (select 1 from arr_operations indexed by arr_operations_waiting
  where definition = ? and announce_at is not null and token is null and behind = 0 and due_at <= ? limit ?)`;
const BEGUN = `${withInput("arr_operations_leased")}
  where o.definition = ? and o.announce_at is not null and o.token is not null and o.token = ? and o.lease_ends_at > ?`;

/** A receipt puts off at most so many operations that wait for their lane. They are found once only. */
const MAX_PUT_OFF = 256;

/** Creates the receiver of a database. */
export function createReceiver({ statements, records, newToken }: ReceiverOptions): Receiver {
  const turns = new Turns(newToken);

  interface Receipt {
    /**
     * Definitions of which one operation may begin whose last attempt was lost. It may crash its process and all attempts
     * in it.
     */
    readonly admitted: Set<string>;
    free: number;
    /** How many more operations of lanes may be put off. */
    left: number;
    /** Whether there may be more work that has a place. */
    again: boolean;
    readonly token: string;
    readonly changed: Changed;
    readonly received: Received[];
  }

  /** Returns candidates, those that lost their lease first, and whether more is due. */
  function candidates(
    { name, creates = true, limits }: FreeDefinition,
    admitted: boolean,
    limit: number,
    receipt: Receipt,
  ): { readonly rows: readonly Row[]; readonly more: boolean } {
    const now = records.now();
    const values = [name, now, creates ? 1 : 0, admitted ? 1 : 0] as const;
    // A pause holds back neither cancellations nor creations.
    const paused = isPaused(statements, name);
    const lost = statements.all(LOST, ...values, paused ? 1 : 0, limit);
    if (paused) return { rows: lost, more: lost.length === limit };
    const places = limits && records.places.free(name, limits);
    const left = Math.min(limit - lost.length, places?.free ?? limit);
    if (left <= 0) return { rows: lost, more: lost.length === limit };
    // Only if more is due than there are slots, it matters whose turn it is.
    const more = statements.first(DUE, name, now, left + 1)?.waiting === left + 1;
    const request = { definition: name, now, creates, admitted, limit: left };
    if (places !== undefined && limits?.runningPerTenant !== undefined) {
      // The order of time would pass the whole backlog of a tenant without a place.
      const { rows, complete } = selectByTurns(statements, turns, { ...request, freeFor: places.freeFor });
      receipt.again ||= !complete;
      return { rows: [...lost, ...rows], more };
    }
    const chosen = more ? selectByTurns(statements, turns, request).rows : [];
    // The tenants that had the turn may have had no due work.
    return {
      rows: [...lost, ...(chosen.length > 0 ? chosen : statements.all(WAITING, ...values, now, left))],
      more,
    };
  }

  function isDue({ name, creates = true, suspects }: FreeDefinition): boolean {
    const now = records.now();
    const values = [name, now, creates ? 1 : 0, suspects ? 1 : 0] as const;
    const paused = isPaused(statements, name);
    if (statements.all(LOST, ...values, paused ? 1 : 0, 1).length > 0) return true;
    return !paused && statements.all(WAITING, ...values, now, 1).length > 0;
  }

  function beginNow(
    entry: StoredEntry,
    definition: FreeDefinition,
    { token, changed }: Receipt,
  ): Received | undefined {
    const hasPlace = (): boolean => records.places.isFree(entry, definition.limits);
    const result = records.apply(
      entry,
      (now) => begin(entry, now, { ...definition, token }, hasPlace),
      changed,
    );
    if (result.outcome !== "begun") return undefined;
    return { operationId: entry.operation.id, definition: definition.name, begun: result };
  }

  /** Takes up to `quota` operations of a definition. Returns whether there are more. */
  function take(definition: FreeDefinition, slots: number, quota: number, receipt: Receipt): boolean {
    const { name } = definition;
    const { admitted } = receipt;
    const limit = Math.min(quota, receipt.free, slots);
    const { rows, more } = candidates(definition, admitted.has(name), limit, receipt);
    for (const row of rows) {
      const entry = toEntry(row);
      if (entry.operation.cancelRequested === true) {
        // The worker calls `beginAttempt`, which ends it and reports that.
        receipt.received.push({ operationId: entry.operation.id, definition: name });
        receipt.free -= 1;
        continue;
      }
      // A row with a token has lost its lease.
      const isSuspect = entry.previousLost || entry.token !== undefined;
      if (isSuspect && !admitted.has(name)) continue;
      const begun = beginNow(entry, definition, receipt);
      if (begun === undefined) {
        if (entry.operation.lane !== undefined) receipt.left -= 1;
        continue;
      }
      if (isSuspect) admitted.delete(name);
      receipt.received.push(begun);
      receipt.free -= 1;
    }
    return more || rows.length >= quota;
  }

  return {
    hasDue: (definitions) => definitions.some(isDue),
    receive: (definitions, limit, token, changed) => {
      const admitted = new Set(definitions.filter(({ suspects }) => suspects).map(({ name }) => name));
      const receipt: Receipt = {
        admitted,
        free: limit,
        left: MAX_PUT_OFF,
        again: false,
        token,
        changed,
        received: [],
      };
      const slots = definitions.map((definition) => definition.slots);
      // Each definition gets a share, and unused shares go to the others, so that a long backlog delays no other.
      for (let more = true; more && receipt.free > 0; ) {
        more = false;
        const quota = Math.max(1, Math.floor(receipt.free / Math.max(1, definitions.length)));
        for (const [index, definition] of definitions.entries()) {
          const left = slots[index] ?? 0;
          if (left <= 0 || receipt.free <= 0) continue;
          const before = receipt.received.length;
          const leftBefore = receipt.left;
          const isFull = take(definition, left, quota, receipt);
          const taken = receipt.received.length - before;
          slots[index] = left - taken;
          more ||= (taken > 0 && isFull) || receipt.left < leftBefore;
        }
        if (receipt.left <= 0) {
          receipt.again = true;
          break;
        }
        // An operation that is only announced would be found again.
        if (receipt.received.some(({ begun }) => begun === undefined)) break;
      }
      return receipt;
    },
    repeat: (definitions, token, changed) =>
      definitions.flatMap((definition) => {
        const receipt: Receipt = {
          admitted: new Set(),
          free: 0,
          left: 0,
          again: false,
          token,
          changed,
          received: [],
        };
        const rows = statements.all(BEGUN, definition.name, token, records.now());
        return rows.flatMap((row) => beginNow(toEntry(row), definition, receipt) ?? []);
      }),
  };
}
