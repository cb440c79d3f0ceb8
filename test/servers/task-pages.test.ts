import { describe, expect, it } from "vitest";
import { nodes } from "../runtimes/matrix.js";
import { follow } from "../runtimes/quick-starts/follow.js";
import { readTask } from "../runtimes/quick-starts/quick-start.js";
import { openRegistry } from "../runtimes/quick-starts/registry.js";
import { openTerminal } from "../runtimes/quick-starts/terminal.js";
import { isNight } from "../support/effort.js";
import { type Page, page } from "../support/pages.js";
import { useOpen } from "./use-open.js";
import { describeOnPostgres } from "./use-postgres.js";

const { path, text } = page("docs/tasks.md");
const tasks: readonly (Page & { readonly title: string })[] = text
  .split(/^## /m)
  .slice(1)
  .map((section) => ({ path, title: section.slice(0, section.indexOf("\n")), text: section }));

/** The newest version of Node with long-term support, and at night the oldest supported one too. */
const versions = nodes.filter(({ name }) => name === "Node 24" || (isNight && name === "Node 20"));

it("are ten tasks", () => {
  expect(tasks).toHaveLength(10);
});

describeOnPostgres("a task, followed in a new folder with the packed package", (postgres) => {
  const registry = useOpen(openRegistry, (opened) => opened.close());

  describe.each(versions)("on $name", ({ name, program }) => {
    it.each(tasks)("$title", async (task) => {
      const database = `${name} ${task.title}`.replaceAll(/\W+/g, "_").toLowerCase().slice(0, 60);
      await postgres().query(`create database ${database}`);
      const variables = { DATABASE_URL: `postgres://postgres@127.0.0.1:${postgres().port}/${database}` };
      const terminal = openTerminal(registry().url, { node: program, variables });
      try {
        await expect(follow(readTask(task), terminal)).resolves.toBeUndefined();
      } finally {
        await terminal.close();
      }
    });
  });
});
