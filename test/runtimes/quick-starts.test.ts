import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Page, page } from "../support/pages.js";
import { isSkipped, nodes, programOf } from "./matrix.js";
import { beginnings, nodesWithStores } from "./quick-starts/beginnings.js";
import { follow } from "./quick-starts/follow.js";
import { onStore, readStoreOption, withClient } from "./quick-starts/on-store.js";
import { exitCodeOf, isPlatformSkipped, platforms, platformsWithStores } from "./quick-starts/platforms.js";
import { readQuickStart } from "./quick-starts/quick-start.js";
import { openRegistry, type Registry } from "./quick-starts/registry.js";
import { openTerminal, type Terminal, type TerminalOptions } from "./quick-starts/terminal.js";

const aboutSqlite = page("docs/sqlite.md");
const sqlite = readStoreOption(aboutSqlite);
const sqliteOfBun = withClient(sqlite, aboutSqlite, "bun:sqlite");

/** Shows the states of the operations in the file that the page about SQLite opens. */
const STATES = `const { DatabaseSync } = require("node:sqlite");
  new DatabaseSync("orders.db").prepare("select distinct state from arr_operations").all().map(({ state }) => state).join()`;

describe("a quick start, followed in a new folder with the packed package", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await openRegistry();
  });
  afterAll(() => registry?.close());

  async function followed(
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

  describe.each(nodes)("on $name", (node) => {
    it.skipIf(isSkipped(node)).each(beginnings)("produces the output that it shows: $path", (page) =>
      followed(page, { node: programOf(node) }),
    );
  });

  /** Also checks that the file has the ended operations after the server has closed it. */
  const followedOnSqlite = (page: Page, store = sqlite, options?: TerminalOptions): Promise<void> =>
    followed(onStore(page, store), options, async (terminal) => {
      expect(await terminal.stop()).toEqual([exitCodeOf(page)]);
      expect(await terminal.run(`node -p '${STATES}'`)).toBe("completed\n");
    });

  describe.each(nodesWithStores)("on $name and SQLite", (node) => {
    it.skipIf(isSkipped(node)).each(beginnings)("produces the output that it shows: $path", (page) =>
      followedOnSqlite(page, sqlite, { node: programOf(node) }),
    );
  });

  for (const each of platforms) {
    it.skipIf(isPlatformSkipped(each))(`produces the output that it shows: ${each.page.path}`, () =>
      followed(each.page),
    );
  }

  describe.each(nodesWithStores)("on $name and SQLite", (node) => {
    for (const each of platformsWithStores(node)) {
      const store = each.platform === "Bun" ? sqliteOfBun : sqlite;
      it.skipIf(isSkipped(node) || isPlatformSkipped(each))(
        `produces the output that it shows: ${each.page.path}`,
        () => followedOnSqlite(each.page, store, { node: programOf(node) }),
      );
    }
  });
});
