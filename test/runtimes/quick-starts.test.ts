import { afterAll, beforeAll, describe, type ExpectStatic, it } from "vitest";
import { openRegistryWithBuild, type Registry } from "../registry/registry.js";
import { type Page, page } from "../support/pages.js";
import { isSkipped, programOf } from "./matrix.js";
import { beginnings, nodesWithStores } from "./quick-starts/beginnings.js";
import { follow } from "./quick-starts/follow.js";
import { onStore, readStoreOption, withClient } from "./quick-starts/on-store.js";
import { exitCodeOf, isPlatformSkipped, platforms, platformsWithStores } from "./quick-starts/platforms.js";
import { readQuickStart } from "./quick-starts/quick-start.js";
import { openTerminal, type Terminal, type TerminalOptions } from "./quick-starts/terminal.js";

const aboutSqlite = page("docs/sqlite.md");
const sqlite = readStoreOption(aboutSqlite);
const sqliteOfBun = withClient(sqlite, aboutSqlite, "bun:sqlite");

/** Shows the states of the operations in the file that the page about SQLite opens. */
const STATES = `const { DatabaseSync } = require("node:sqlite");
  new DatabaseSync("orders.db").prepare("select distinct state from arr_operations").all().map(({ state }) => state).join()`;

describe.concurrent("a quick start, followed in a new folder with the packed package", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await openRegistryWithBuild();
  });
  afterAll(() => registry?.close());

  /** Tests pass their own `expect`, because several run at the same time. */
  async function followed(
    expect: ExpectStatic,
    page: Page,
    options?: TerminalOptions,
    look?: (terminal: Terminal) => Promise<void>,
  ): Promise<void> {
    const terminal = openTerminal(registry.url, options);
    try {
      await expect(follow(readQuickStart(page), terminal)).resolves.toBeUndefined();
      await look?.(terminal);
    } finally {
      await terminal.close();
    }
  }

  /** Also checks that the file has the ended operations after the server has closed it. */
  const followedOnSqlite = (
    expect: ExpectStatic,
    page: Page,
    options: TerminalOptions,
    store = sqlite,
  ): Promise<void> =>
    followed(expect, onStore(page, store), options, async (terminal) => {
      expect(await terminal.stop()).toEqual([exitCodeOf(page)]);
      expect(await terminal.run(`node -p '${STATES}'`)).toBe("completed\n");
    });

  // The longest come first, so that others run beside them.
  for (const each of platforms) {
    it.skipIf(isPlatformSkipped(each))(`produces the output that it shows: ${each.page.path}`, ({ expect }) =>
      followed(expect, each.page),
    );
  }

  describe.each(nodesWithStores)("on $name and SQLite", (node) => {
    for (const each of platformsWithStores(node)) {
      const store = each.platform === "Bun" ? sqliteOfBun : sqlite;
      it.skipIf(isSkipped(node) || isPlatformSkipped(each))(
        `produces the output that it shows: ${each.page.path}`,
        ({ expect }) => followedOnSqlite(expect, each.page, { node: programOf(node) }, store),
      );
    }
    it.skipIf(isSkipped(node)).for(beginnings)(
      "produces the output that it shows: $path",
      (page, { expect }) => followedOnSqlite(expect, page, { node: programOf(node) }),
    );
  });
});
