import pg from "pg";
import { settings, startPostgres } from "./servers/private-postgres.mjs";
import { appendfsync, startRedis } from "./servers/private-redis.mjs";
import { startVariant } from "./variant.mjs";
import { CONNECTIONS } from "./variants/pool.mjs";

/** Starts the servers of a run, and opens variants on them. */
export async function startBed() {
  const postgres = await startPostgres();
  const redis = await startRedis();
  const admin = new pg.Client({ connectionString: postgres.urlOf("postgres") });
  await admin.connect();
  let databases = 0;

  const createDatabase = async () => {
    const name = `bench_${++databases}`;
    await admin.query(`create database ${name}`);
    return name;
  };

  return {
    description: await describe(admin, redis),
    /** Opens the variants whose servers are available, and closes them in the end. */
    withVariants: async (variants, use) => {
      const opened = [];
      try {
        for (const variant of variants) {
          if (variant.needsRedis && redis === undefined)
            console.log(`Skipped, because redis-server is not installed: ${variant.name}`);
          else opened.push(await startVariant(variant, { postgres, redis, createDatabase }));
        }
        await use(opened);
      } finally {
        for (const variant of opened) await variant.close();
      }
    },
    stop: async () => {
      await admin.end();
      await postgres.stop();
      await redis?.stop();
    },
  };
}

async function describe(admin, redis) {
  const { rows } = await admin.query(`select current_setting('server_version') as version,
    current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
    current_setting('wal_sync_method') as method, current_setting('max_wal_size') as wal`);
  const [{ version, fsync, commit, method, wal }] = rows;
  const changed = Object.entries(settings).map((setting) => setting.join(" "));
  return [
    `PostgreSQL ${version}: fsync ${fsync} (${method}), synchronous_commit ${commit}, max_wal_size ${wal}; ` +
      `changed: ${changed.join(", ")}. Pools of ${CONNECTIONS} connections.`,
    redis === undefined ? "No Redis." : `Redis: appendonly yes, appendfsync ${appendfsync}.`,
  ];
}
