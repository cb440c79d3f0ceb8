import { describe, expect, it } from "vitest";
import { openRegistryWithBuild } from "../registry/registry.js";
import { isSkipped, programOf, type Runtime } from "../runtimes/matrix.js";
import { beginnings, nodesWithStores } from "../runtimes/quick-starts/beginnings.js";
import { follow } from "../runtimes/quick-starts/follow.js";
import { onStore, readPermissions, readStoreOption } from "../runtimes/quick-starts/on-store.js";
import { exitCodeOf, isPlatformSkipped, platformsWithStores } from "../runtimes/quick-starts/platforms.js";
import { readQuickStart } from "../runtimes/quick-starts/quick-start.js";
import { openTerminal } from "../runtimes/quick-starts/terminal.js";
import { type Page, page } from "../support/pages.js";
import { useOpen } from "./use-open.js";
import { describeOnPostgres } from "./use-postgres.js";

const store = {
  ...readStoreOption(page("README.md")),
  permissions: readPermissions(page("docs/postgres.md")),
};

describeOnPostgres(
  "a quick start on Postgres, followed in a new folder with the packed package",
  (postgres) => {
    const registry = useOpen(openRegistryWithBuild, (opened) => opened.close());

    async function followed(page: Page, node: Runtime): Promise<void> {
      const variables = { DATABASE_URL: postgres().url() };
      const terminal = openTerminal(registry().url, { node: programOf(node), variables });
      try {
        await follow(readQuickStart(onStore(page, store)), terminal);
        expect(await terminal.stop()).toEqual([exitCodeOf(page)]);
        const states = await postgres().query("select distinct state from async_request_reply.operations");
        expect(states).toEqual([{ state: "completed" }]);
      } finally {
        await terminal.close();
        await postgres().query("drop schema if exists async_request_reply cascade");
      }
    }

    describe.each(nodesWithStores)("on $name", (node) => {
      it.skipIf(isSkipped(node)).each(beginnings)("produces the output that it shows: $path", (page) =>
        followed(page, node),
      );

      for (const each of platformsWithStores(node))
        it.skipIf(isSkipped(node) || isPlatformSkipped(each))(
          `produces the output that it shows: ${each.page.path}`,
          () => followed(each.page, node),
        );
    });
  },
);
