import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { brokers } from "../brokers/brokers.js";
import type { TestedBroker } from "../brokers/tested-broker.js";
import { openFaultBench } from "../faults/fault-bench.js";
import type { OrderBench } from "../faults/order-bench.js";
import { openSqliteBench } from "../faults/sqlite-bench.js";
import {
  debianPostgres,
  npmPostgres,
  type PostgresInstallation,
} from "../support/postgres/postgres-installation.js";
import type { PrivatePostgres } from "../support/postgres/private-postgres.js";
import type { Stage } from "./drive.js";

/** Opens the store of one scene, and a broker for some. */
export interface Setting {
  readonly name: string;
  open(options: StageOptions): Promise<OpenStage>;
}

interface StageOptions {
  /** Default isolation level of the role, on Postgres. */
  readonly isolation: string;
}

interface OpenStage extends Stage {
  close(): Promise<void>;
}

/** Every store and broker that is installed. */
export function settings(): readonly Setting[] {
  const found = [debianPostgres(), npmPostgres()].filter((installation) => installation !== undefined);
  const [first] = found;
  return [
    sqlite,
    ...found.map(postgres),
    ...(first === undefined ? [] : brokers.map((broker) => withBroker(postgres(first), broker))),
    ...brokers.filter(({ name }) => name === "NATS").map((broker) => withBroker(sqlite, broker)),
  ];
}

/** SQLite, and the Postgres of Debian if it is installed. */
export function shortSettings(): readonly Setting[] {
  return settings().filter(({ name }) => ["SQLite", debianPostgres()?.name].includes(name));
}

/** An SQLite file. */
const sqlite: Setting = {
  name: "SQLite",
  open: async () => {
    const bench = openSqliteBench();
    return {
      url: `sqlite:${bench.path}`,
      operations: bench.operations,
      disturb: { "file locked": () => lockFor(bench, 1_500) },
      close: bench.close,
    };
  },
};

/** A Postgres without a schema, which the first process creates. */
function postgres(installation: PostgresInstallation): Setting {
  return {
    name: installation.name,
    open: async ({ isolation }) => {
      const bench = await openFaultBench(installation, { migrate: false });
      const server = bench.postgres;
      await server.query(`alter role postgres set default_transaction_isolation = '${isolation}'`);
      const restart = async (stop: () => Promise<void>): Promise<void> => {
        await stop();
        await server.start();
      };
      return {
        url: server.url(),
        operations: bench.operations,
        disturb: {
          "server killed": () => restart(server.kill9),
          "server restarted": () => restart(() => server.stop("fast")),
          "tables locked": () => lockFor(bench, 1_500),
          "long transaction": () => holdTransaction(server, 8_000),
        },
        close: bench.close,
      };
    },
  };
}

function withBroker(store: Setting, broker: TestedBroker): Setting {
  return {
    name: `${store.name} and ${broker.name}`,
    open: async (options) => {
      const server = await broker.startServer();
      const stage = await store.open(options);
      return {
        ...stage,
        queueUrl: `${broker.scheme}://127.0.0.1:${server.port}`,
        disturb: {
          ...stage.disturb,
          "broker killed": async () => {
            await server.kill9();
            await server.start();
          },
        },
        close: async () => {
          await stage.close();
          await server.remove();
        },
      };
    },
  };
}

async function lockFor(bench: OrderBench, ms: number): Promise<void> {
  const unlock = await bench.lock();
  await sleep(ms);
  await unlock();
}

/** Keeps a transaction open that has written, as a slow report of the same database does. It disturbs nothing. */
async function holdTransaction(server: PrivatePostgres, ms: number): Promise<void> {
  const client = new Client({ connectionString: server.url() });
  client.on("error", () => {});
  await client.connect();
  await client.query("begin");
  await client.query("select pg_current_xact_id()");
  setTimeout(() => void client.end().catch(() => {}), ms);
}
