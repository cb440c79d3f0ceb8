import pg from "pg";
import { settings, startPostgres } from "./servers/private-postgres.mjs";
import { CONNECTIONS } from "./variants/pool.mjs";

/** Starts a Postgres that creates a new database for each variant. */
export async function startDatabases() {
  const postgres = await startPostgres();
  const admin = new pg.Client({ connectionString: postgres.urlOf("postgres") });
  await admin.connect();
  let databases = 0;
  return {
    pid: postgres.pid,
    description: await describe(admin),
    /** Returns the URL of a new database. */
    create: async () => {
      const name = `bench_${++databases}`;
      await admin.query(`create database ${name}`);
      return postgres.urlOf(name);
    },
    stop: async () => {
      await admin.end();
      await postgres.stop();
    },
  };
}

async function describe(admin) {
  const { rows } = await admin.query(`select current_setting('server_version') as version,
    current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
    current_setting('wal_sync_method') as method, current_setting('max_wal_size') as wal`);
  const [{ version, fsync, commit, method, wal }] = rows;
  const changed = Object.entries(settings).map((setting) => setting.join(" "));
  return (
    `PostgreSQL ${version}: fsync ${fsync} (${method}), synchronous_commit ${commit}, max_wal_size ${wal}; ` +
    `changed: ${changed.join(", ")}. Pools of ${CONNECTIONS} connections.`
  );
}
