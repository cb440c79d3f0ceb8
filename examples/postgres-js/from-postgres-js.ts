import type { SqlDatabase, SqlResult, SqlStatement } from "async-request-reply/postgres";
import type { Sql, TransactionSql } from "postgres";

// Lets the Postgres back end use postgres.js: `createPostgresBackend({ pool: fromPostgresJs(postgres(url)) })`.

function run(sql: Sql | TransactionSql, { text, values }: SqlStatement): PromiseLike<SqlResult["rows"]> {
  // Without values, the text can hold several statements, which cannot be prepared.
  if (values === undefined) return sql.unsafe(text);
  // This client would send a list of booleans as one boolean.
  const given = values.map((value) =>
    Array.isArray(value) && typeof value[0] === "boolean" ? `{${value}}` : value,
  );
  return sql.unsafe(text, given as never[], { prepare: true });
}

/** Refuses statements after the signal was aborted. They would run outside of the transaction. */
function untilAborted(tx: TransactionSql, signal: AbortSignal): TransactionSql {
  return new Proxy(tx, {
    apply: (target, self, given) => {
      signal.throwIfAborted();
      return Reflect.apply(target as never, self, given);
    },
    get: (target, name) => {
      signal.throwIfAborted();
      return Reflect.get(target, name);
    },
  });
}

async function inTransaction<Result>(
  sql: Sql,
  work: (tx: TransactionSql) => Promise<Result>,
  signal = new AbortController().signal,
): Promise<Result> {
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  });
  const committed = sql.begin(async (tx) => {
    const [own] = await tx`select pg_backend_pid() as pid, now()::text as began`;
    // Cancels the statement that is running, unless the transaction has ended. The client then sends the rollback.
    const cancel = () => sql`select pg_cancel_backend(pid) from pg_stat_activity
      where pid = ${own?.pid} and xact_start = ${own?.began}::text::timestamptz`;
    aborted.catch(cancel).catch(() => {});
    return { result: await Promise.race([work(untilAborted(tx, signal)), aborted]) };
  });
  try {
    return (await Promise.race([committed, aborted])).result;
  } finally {
    signal.removeEventListener("abort", abort);
    committed.catch(() => {});
  }
}

export function fromPostgresJs(sql: Sql): SqlDatabase<TransactionSql> {
  return {
    query: async (statement) => ({ rows: await run(sql, statement) }),
    transaction: (work, signal) => inTransaction(sql, work, signal),
    queryIn: (tx) => async (statement) => ({ rows: await run(tx, statement) }),
    listen: async (onMessage) => {
      const heard = new Map<string, Promise<{ unlisten(): Promise<void> }>>();
      return {
        listen: async (channel) => {
          if (!heard.has(channel)) {
            heard.set(
              channel,
              sql.listen(channel, (message) => onMessage(channel, message)),
            );
          }
          await heard.get(channel);
        },
        end: async () => {
          for (const each of heard.values()) await (await each).unlisten();
        },
      };
    },
  };
}
