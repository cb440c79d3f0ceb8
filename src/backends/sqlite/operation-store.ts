import type { Settlement } from "../../contract/operation.js";
import { claim, claimNothing } from "../../engine/claim.js";
import { cancel, HANDED_OUT_AGAIN_MS, isRepeatedCreation, renew, settle } from "../../engine/entry.js";
import { knownRedrive, successorOf } from "../../engine/redrive.js";
import { Turns } from "../../engine/turns.js";
import type { Claimed, ClaimRequest } from "../../ports/claim.js";
import type { CancelOutcome, OperationStore, OverdueOperation } from "../../ports/operation-store.js";
import { toExpired, toListed, toOperation } from "../shared/row.js";
import type { Changed, Connection, WriteOptions } from "./connection/connection.js";
import type { Statements } from "./connection/statements.js";
import type { News } from "./notices/news.js";
import { createClaimSearches, createClaimTable } from "./records/claim-table.js";
import type { HeldOperation, StoredEntry } from "./records/entry-row.js";
import { countPending, listQuery, readStats } from "./records/operator-queries.js";
import {
  deleteRemoved,
  endOverdue,
  findExpired,
  hasOverdue,
  type Records,
  withInput,
} from "./records/records.js";

/** Options of {@link createSqliteOperationStore}. */
export interface OperationStoreOptions {
  readonly connection: Connection;
  readonly statements: Statements;
  readonly records: Records;
  readonly news: Pick<News, "watch" | "watchCancellations">;
  /** Returns a random text. */
  readonly newToken: () => string;
}

/** Number of operations that a transaction ends, so that it does not block the event loop for long. */
const ENDED_AT_ONCE = 50;

const CAN_BE_LOST: WriteOptions = { canBeLost: true };

/** Creates a store that keeps each operation in a row. A step loads the row, applies the state machine and saves it. */
export function createSqliteOperationStore(options: OperationStoreOptions): OperationStore {
  const { connection, statements, records, news, newToken } = options;
  const searches = createClaimSearches(statements, records);
  const turns = new Turns(newToken);
  /** Whether the last claim began nothing. */
  let isIdle = true;
  /** Whether the last claim may have left operations to end. */
  let hasLeft = false;

  function claimNow(request: ClaimRequest, mayEnd: boolean): Promise<Claimed> {
    const job = (changed: Changed): Claimed =>
      claim({ table: createClaimTable(searches, records, changed), turns, mayEnd }, request);
    // A claim that only leases does not wait for the disk.
    return connection.write("work", job, { canBeLost: !mayEnd });
  }

  /** Runs a step in a transaction, if the operation exists. `find` reads what the step needs of it. */
  function step<Result, Found extends StoredEntry<HeldOperation>>(
    find: (id: string) => Found | undefined,
    id: string,
    unknown: Result,
    run: (entry: Found, now: number, changed: Changed) => Result,
    writing?: WriteOptions,
  ): Promise<Result> {
    const apply = (changed: Changed): Result => {
      const entry = find(id);
      return entry === undefined ? unknown : records.apply(entry, (now) => run(entry, now, changed), changed);
    };
    return connection.write("work", apply, writing);
  }

  return {
    keeps: ["deadlines", "lanes", "limits"],
    create: (operation, initial) =>
      connection.write(
        "submissions",
        (changed) => {
          const known = records.find(operation.id);
          if (known !== undefined) return isRepeatedCreation(known, initial) ? "created" : "exists";
          records.create(operation, initial, changed);
          return "created";
        },
        { bytes: operation.input.length },
      ),
    get: (id, tenant) =>
      connection.read(() => {
        const row = statements.first(
          `${withInput()} where o.id = ? and o.tenant = ? and o.hidden = 0`,
          id,
          tenant,
        );
        return row && toOperation(row);
      }),
    claim: async (request) => {
      if (request.operationId !== undefined) return claimNow(request, true);
      if (isIdle && request.repeated !== true) {
        // A read needs no lock, so that idle workers do not delay the writers.
        const nothing = await connection.read(() => claimNothing(searches, request));
        if (nothing !== undefined) return nothing;
      }
      const mayEnd = hasLeft;
      const claimed = await claimNow(request, mayEnd);
      if (request.repeated === true) return claimed;
      isIdle = claimed.begun.length === 0;
      hasLeft = claimed.again && !mayEnd;
      return isIdle && hasLeft ? claimNow(request, true) : claimed;
    },
    renew: ({ operationId, token }, change) =>
      step(
        records.findHeld,
        operationId,
        { outcome: "lost" },
        (entry, now) => renew(entry, now, token, change),
        {
          bytes: change.progress?.length,
          canBeLost: true,
        },
      ),
    settle: ({ operationId, token }, settlement) =>
      step(
        records.findHeld,
        operationId,
        { outcome: "lost" },
        (entry, now) => settle(entry, now, token, settlement),
        {
          bytes: bytesOf(settlement),
        },
      ),
    requestCancel: (id, tenant) =>
      step<CancelOutcome, StoredEntry>(records.find, id, "unknown", (entry, now, changed) => {
        const { operation } = entry;
        if (operation.tenant !== tenant || operation.hidden === true) return "unknown";
        const outcome = cancel(entry, now);
        if (outcome === "requested") changed.cancelled.add(id);
        return outcome;
      }),
    endOverdue: async ({ limit }) => {
      // A read needs no lock, so a sweep that finds nothing does not delay the writers.
      if (!(await connection.read(() => hasOverdue(statements, records)))) return [];
      const ended: OverdueOperation[] = [];
      for (let more = true; more && ended.length < limit; ) {
        const share = Math.min(ENDED_AT_ONCE, limit - ended.length);
        const some = await connection.write("work", (changed) =>
          endOverdue(statements, records, share, changed),
        );
        ended.push(...some);
        more = some.length === share;
      }
      return ended;
    },
    takeExpired: ({ limit }) =>
      connection.write(
        "work",
        () => {
          deleteRemoved(statements, records);
          const now = records.now();
          return findExpired(statements, now, limit).map((row) => {
            // If the caller does not remove it, it is handed out again.
            statements.run(
              "update arr_operations set expires_at = ? where seq = ?",
              now + HANDED_OUT_AGAIN_MS,
              Number(row.seq),
            );
            return toExpired(row);
          });
        },
        CAN_BE_LOST,
      ),
    remove: (ids, { afterMs }) =>
      connection.write("work", () => {
        for (const id of ids)
          statements.run(
            `update arr_operations set forget_at = ?, expires_at = null
             where id = ? and settled_at is not null and (retried_by is null
               or not exists (select 1 from arr_operations s where s.id = arr_operations.retried_by))`,
            records.now() + afterMs,
            id,
          );
      }),
    watch: news.watch,
    watchCancellations: news.watchCancellations,
    getMany: (ids) =>
      connection.read(() =>
        [...new Set(ids)].flatMap((id) =>
          statements.all(`${withInput()} where o.id = ?`, id).map(toOperation),
        ),
      ),
    list: (request) =>
      connection.read(() => {
        const { sql, values } = listQuery(request);
        return statements.all(sql, ...values).map(toListed);
      }),
    stats: ({ definitions }) =>
      connection.read(() => {
        const now = records.now();
        return definitions.map((definition) => readStats(statements, definition, now));
      }),
    countPending: (requests) =>
      connection.read(() => requests.map((request) => countPending(statements, request))),
    redrive: (id, successor) =>
      connection.write("work", (changed) => {
        const entry = records.find(id);
        if (entry === undefined) return { outcome: "unknown" };
        const known = knownRedrive(entry);
        if (known !== undefined) return known;
        const created = !records.has(successor.id);
        if (created) records.create(successorOf(entry.operation, successor), undefined, changed);
        // The failed operation is kept as long as its successor, even if an earlier `remove` asked to delete it.
        statements.run(
          "update arr_operations set retried_by = ?, expires_at = null, forget_at = null where seq = ?",
          successor.id,
          entry.seq,
        );
        changed.changed.add(id);
        return { outcome: "redriven", operationId: successor.id, created };
      }),
    pause: (definition, by) =>
      connection.write("work", () =>
        statements.run(
          "insert or ignore into arr_paused (definition, since, paused_by) values (?, ?, ?)",
          ...[definition, records.now(), by ?? null],
        ),
      ),
    resume: async (definition) => {
      await connection.write("work", () =>
        statements.run("delete from arr_paused where definition = ?", definition),
      );
    },
  };
}

function bytesOf(settlement: Settlement): number {
  if (settlement.to === "prepared") return 0;
  const result = settlement.to === "completed" ? settlement.result : undefined;
  return (result?.length ?? 0) + (settlement.progress?.length ?? 0);
}
