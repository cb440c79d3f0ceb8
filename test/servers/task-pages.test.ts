import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodes } from "../runtimes/matrix.js";
import { follow } from "../runtimes/quick-starts/follow.js";
import { readTask } from "../runtimes/quick-starts/quick-start.js";
import { openRegistry, type Registry } from "../runtimes/quick-starts/registry.js";
import { openTerminal } from "../runtimes/quick-starts/terminal.js";
import { isNight } from "../support/effort.js";
import { type Page, page } from "../support/pages.js";
import {
  describeWithPostgres,
  type PostgresInstallation,
} from "../support/postgres/postgres-installation.js";
import { type PrivatePostgres, startPrivatePostgres } from "../support/postgres/private-postgres.js";

const { path, text } = page("docs/tasks.md");
const tasks: readonly (Page & { readonly title: string })[] = text
  .split(/^## /m)
  .slice(1)
  .map((section) => ({ path, title: section.slice(0, section.indexOf("\n")), text: section }));

/** The newest version of Node with long-term support, and at night the oldest supported one too. */
const versions = nodes.filter(({ name }) => name === "Node 24" || (isNight && name === "Node 20"));

function declareTasks(installation: PostgresInstallation): void {
  let postgres: PrivatePostgres;
  let registry: Registry;
  beforeAll(async () => {
    [postgres, registry] = await Promise.all([startPrivatePostgres({ installation }), openRegistry()]);
  });
  afterAll(async () => {
    registry?.close();
    await postgres?.remove();
  });

  describe.each(versions)("on $name", ({ name, program }) => {
    it.each(tasks)("$title", async (task) => {
      const database = `${name} ${task.title}`.replaceAll(/\W+/g, "_").toLowerCase().slice(0, 60);
      await postgres.query(`create database ${database}`);
      const variables = { DATABASE_URL: `postgres://postgres@127.0.0.1:${postgres.port}/${database}` };
      const terminal = openTerminal(registry.url, { node: program, variables });
      try {
        await expect(follow(readTask(task), terminal)).resolves.toBeUndefined();
      } finally {
        await terminal.close();
      }
    });
  });
}

it("are ten tasks", () => {
  expect(tasks).toHaveLength(10);
});

describeWithPostgres("a task, followed in a new folder with the packed package", declareTasks);
