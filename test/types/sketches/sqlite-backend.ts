import type { Backend, IdempotencyStore, OperationStore, Queue } from "async-request-reply";
import type {
  BoundedCount,
  ListedOperation,
  NewOperation,
  Operation,
  RecordResult,
  Submissions,
  Transactions,
} from "async-request-reply/ports";

/** The parts of a synchronous database that the back end uses. */
export interface SqliteDatabase {
  prepare(sql: string): {
    run(...values: readonly unknown[]): { readonly changes: number };
    all(...values: readonly unknown[]): readonly unknown[];
  };
}

/** Steps that need one statement each. They run in one transaction if they are called in one. */
type Steps = Pick<Submissions<never>, "record"> & OperationStore & Pick<IdempotencyStore, "find">;

/** Outlines a back end to prove that the ports fit: one connection, one writer, and transactions that users share. */
export function createSqliteBackend(
  database: SqliteDatabase,
  queue: Queue,
  steps: Steps,
): Backend<SqliteDatabase> {
  const operations: OperationStore = { ...steps, ...writes(database), ...reads(database) };
  const transactions: Transactions<SqliteDatabase> = {
    record: ({ operation, ...submission }, create) =>
      inTransaction(database, async () => {
        const resource = await create(database);
        const recorded = await steps.record({ operation, ...submission });
        database.prepare("update operations set resource = ? where id = ?").run(resource, operation.id);
        return recorded;
      }),
    // A trigger on `settled_at` creates the follow-up in the same transaction.
    settle: (lease, work) =>
      inTransaction(database, async () => operations.settle(lease, await work(database))),
    recordIn: (_, submission) => steps.record(submission),
  };
  return {
    operations,
    queue,
    submissions: {
      findKey: steps.find,
      record: steps.record,
      recordMany: (list) =>
        inTransaction(database, async () => {
          const results: RecordResult[] = [];
          for (const submission of list) results.push(await steps.record(submission));
          return results;
        }),
      purge: async ({ limit }) =>
        database.prepare("delete from operations where id in (select id from expired limit ?)").run(limit)
          .changes,
      transactions,
    },
    check: async () => void database.prepare("select 1 from operations limit 0").all(),
    close: () => queue.close(),
  };
}

/** Uses the clock of the process, because there is only one. */
function writes(database: SqliteDatabase): Pick<OperationStore, "create" | "redrive"> {
  const insert = ({ id, tenant, definition, input, retentionMs, delayMs = 0, ...rest }: NewOperation) => {
    const now = Date.now();
    return database
      .prepare("insert into operations values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing")
      .run(id, tenant, definition, input, retentionMs, now, now + delayMs, JSON.stringify(rest)).changes;
  };
  return {
    create: async (operation) => (insert(operation) === 0 ? "exists" : "created"),
    redrive: async (id, successor) => {
      const [failed] = database
        .prepare("select * from operations where id = ? and state = 'failed'")
        .all(id) as readonly Operation[];
      if (failed === undefined) return { outcome: "unknown" };
      const { key: _, onEnd, ...work } = failed;
      const followUp = onEnd === undefined ? {} : { onEnd: { ...onEnd, id: successor.onEndId } };
      const created = insert({ ...work, ...followUp, id: successor.id, retryOf: id }) === 1;
      database.prepare("update operations set retried_by = ? where id = ?").run(successor.id, id);
      return { outcome: "redriven", operationId: successor.id, created };
    },
  };
}

function reads(database: SqliteDatabase): Pick<OperationStore, "getMany" | "list" | "stats"> {
  const bounded = (condition: string, definition: string): BoundedCount => {
    const sql = `select 1 from operations where definition = ? and ${condition} limit 10001`;
    const { length } = database.prepare(sql).all(definition);
    return { count: Math.min(length, 10_000), more: length > 10_000 };
  };
  return {
    getMany: async (ids) =>
      database
        .prepare("select * from operations where id in (select value from json_each(?))")
        .all(JSON.stringify(ids)) as readonly Operation[],
    list: async ({ tenant = null, after, limit }) =>
      database
        .prepare(
          "select * from listed where tenant = ?1 and (created_at, id) < (?2, ?3) order by created_at desc, id desc limit ?4",
        )
        .all(tenant, after?.createdAt, after?.id, limit) as readonly ListedOperation[],
    stats: async ({ definitions }) =>
      definitions.map((definition) => ({
        definition,
        due: bounded("due_at <= now and token is null", definition),
        running: bounded("lease_ends_at > now", definition),
        scheduled: bounded("due_at > now", definition),
        failed: bounded("state = 'failed'", definition),
      })),
  };
}

async function inTransaction<Result>(database: SqliteDatabase, work: () => Promise<Result>): Promise<Result> {
  database.prepare("begin immediate").run();
  try {
    const result = await work();
    database.prepare("commit").run();
    return result;
  } catch (error) {
    database.prepare("rollback").run();
    throw error;
  }
}
