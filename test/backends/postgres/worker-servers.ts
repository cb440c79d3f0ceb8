import type { TestProject } from "vitest/node";
import {
  debianPostgres,
  npmPostgres,
  type PostgresInstallation,
} from "../../support/postgres/postgres-installation.js";
import { startPrivatePostgres } from "../../support/postgres/private-postgres.js";

const { DATABASE_URL, PGHOST } = process.env;

/** Starts a server for each worker, so that files that run at the same time cannot disturb each other. */
async function startServers(project: TestProject, installation: PostgresInstallation | undefined) {
  const workers = installation === undefined ? 0 : Number(project.vitest.config.maxWorkers);
  const servers = await Promise.all(
    Array.from({ length: workers }, () =>
      startPrivatePostgres({
        installation: installation as PostgresInstallation,
        settings: { shared_buffers: "128MB", max_prepared_transactions: 10 },
      }),
    ),
  );
  project.provide(
    "postgresUrls",
    servers.map(({ url }) => url()),
  );
  return async () => void (await Promise.all(servers.map(({ remove }) => remove())));
}

/** Global setup of Vitest: servers of the system's Postgres, unless the environment names one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const isNamed = DATABASE_URL !== undefined || PGHOST !== undefined;
  const installation = isNamed ? undefined : debianPostgres();
  return installation === undefined ? async () => {} : startServers(project, installation);
}

/** Global setup of Vitest: servers of the newest Postgres. */
export function startNewest(project: TestProject): Promise<() => Promise<void>> {
  return startServers(project, npmPostgres());
}
