import type { TestProject } from "vitest/node";
import { npmPostgres } from "../../support/postgres/postgres-installation.js";
import { startPrivatePostgres } from "../../support/postgres/private-postgres.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of the project's own Postgres. Empty if no Postgres could be started. */
    postgresUrl: string;
  }
}

/** Global setup of Vitest: a server of the newest Postgres for the tests of one project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const installation = npmPostgres();
  if (installation === undefined) {
    project.provide("postgresUrl", "");
    return async () => {};
  }
  const postgres = await startPrivatePostgres({ installation, settings: { shared_buffers: "128MB" } });
  project.provide("postgresUrl", postgres.url());
  return () => postgres.remove();
}
