import type { Backend } from "async-request-reply";
import type { OutputStore } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { createSqliteBackend } from "async-request-reply/sqlite";
import Database from "libsql";
import { Pool } from "pg";
import { describe, onTestFinished } from "vitest";
import { useOpen } from "../../servers/use-open.js";
import { describeWithPostgres } from "../../support/postgres/postgres-installation.js";
import { openFaultBench } from "../fault-bench.js";
import { useSqliteBench } from "../use-fault-bench.js";

/** A store that processes share. */
export interface OutputStage {
  readonly url: string;
  /** Opens a back end until the end of the test. */
  open(): Backend & { readonly output: OutputStore };
  /** Returns the name of a table of the back end. */
  table(name: string): string;
  /** Runs a statement that both databases understand. */
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Declares the same tests on Postgres and on an SQLite file. Without Postgres, its tests are skipped. */
export function describeStages(title: string, declare: (stage: () => OutputStage) => void): void {
  describeWithPostgres(`${title}, on Postgres`, (installation) => {
    const bench = useOpen(
      () => openFaultBench(installation, { migrate: false }),
      ({ close }) => close(),
    );
    declare(() => {
      const { postgres } = bench();
      return {
        url: postgres.url(),
        open: () => {
          const pool = new Pool({ connectionString: postgres.url(), max: 4 });
          const backend = createPostgresBackend({ pool });
          onTestFinished(async () => {
            await backend.close();
            await pool.end();
          });
          return backend;
        },
        table: (name) => `async_request_reply.${name}`,
        query: (text) => postgres.query(text),
      };
    });
  });
  describe(`${title}, on SQLite`, () => {
    const bench = useSqliteBench();
    declare(() => {
      const { path } = bench();
      const openDatabase = (): InstanceType<typeof Database> => {
        const database = new Database(path);
        onTestFinished(() => void database.close());
        return database;
      };
      return {
        url: `sqlite:${path}`,
        open: () => {
          const backend = createSqliteBackend({ database: openDatabase() });
          onTestFinished(() => backend.close());
          return backend;
        },
        table: (name) => `arr_${name}`,
        query: async (text) => {
          const statement = openDatabase().prepare(text);
          return (statement.reader ? statement.all() : [statement.run()]) as Record<string, unknown>[];
        },
      };
    });
  });
}
