import { describe, expect, it } from "vitest";
import { openRegistryWithBuild } from "../registry/registry.js";
import { nodes } from "../runtimes/matrix.js";
import { follow } from "../runtimes/quick-starts/follow.js";
import { readTask } from "../runtimes/quick-starts/quick-start.js";
import { openTerminal } from "../runtimes/quick-starts/terminal.js";
import { isNight } from "../support/effort.js";
import { page } from "../support/pages.js";
import { useOpen } from "./use-open.js";
import { describeOnPostgres } from "./use-postgres.js";

/** The newest version of Node with long-term support, and at night the oldest supported one too. */
const versions = nodes.filter(({ name }) => name === "Node 24" || (isNight && name === "Node 20"));

describeOnPostgres("the guide, followed in a new folder with the packed package", (postgres) => {
  const registry = useOpen(openRegistryWithBuild, (opened) => opened.close());

  describe.each(versions)("on $name", ({ name, program }) => {
    it("gives the output of the page", async () => {
      const database = `guide_${name.replaceAll(/\W+/g, "_").toLowerCase()}`;
      await postgres().query(`create database ${database}`);
      const variables = { DATABASE_URL: `postgres://postgres@127.0.0.1:${postgres().port}/${database}` };
      const terminal = openTerminal(registry().url, { node: program, variables });
      try {
        await expect(follow(readTask(page("docs/guide.md")), terminal)).resolves.toBeUndefined();
      } finally {
        await terminal.close();
      }
    });
  });
});
