import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quickStarts } from "../docs/quick-starts.js";
import { type Page, page } from "../support/pages.js";
import { bun, deno, isSkipped, nodes, programOf } from "./matrix.js";
import { beginnings, nodesWithStores } from "./quick-starts/beginnings.js";
import { follow } from "./quick-starts/follow.js";
import { onStore, readStoreOption } from "./quick-starts/on-store.js";
import { readQuickStart } from "./quick-starts/quick-start.js";
import { openRegistry, type Registry } from "./quick-starts/registry.js";
import { openTerminal, type Terminal, type TerminalOptions } from "./quick-starts/terminal.js";

const sqlite = readStoreOption(page("docs/sqlite.md"));
const others = quickStarts.filter(({ page }) => !beginnings.includes(page));

/** The platforms that need a runtime from `npm ci --prefix test/runtimes`. */
const runtimes = new Map([
  ["Bun", bun],
  ["Deno", deno],
]);

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

  describe.each(nodesWithStores)("on $name and SQLite", (node) => {
    it.skipIf(isSkipped(node)).each(beginnings)("produces the output that it shows: $path", (page) =>
      followed(onStore(page, sqlite), { node: programOf(node) }, async (terminal) => {
        expect(await terminal.stop()).toEqual([0]);
        expect(await terminal.run(`node -p '${STATES}'`)).toBe("completed\n");
      }),
    );
  });

  for (const { platform, page } of others) {
    const runtime = runtimes.get(platform);
    const isMissing = runtime !== undefined && isSkipped(runtime);
    it.skipIf(isMissing)(`produces the output that it shows: ${page.path}`, () => {
      if (runtime !== undefined) programOf(runtime); // throws if the runtime is missing and `CI` is set
      return followed(page);
    });
  }
});
