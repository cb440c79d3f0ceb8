import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quickStarts } from "../docs/quick-starts.js";
import { page } from "../support/pages.js";
import { bun, deno, isSkipped, nodes, programOf } from "./matrix.js";
import { follow } from "./quick-starts/follow.js";
import { readQuickStart } from "./quick-starts/quick-start.js";
import { openRegistry, type Registry } from "./quick-starts/registry.js";
import { openTerminal } from "./quick-starts/terminal.js";

const readme = page("README.md");
/** The rest of the page is about this repository. */
const beginning = { ...readme, text: readme.text.slice(0, readme.text.indexOf("## What you get")) };

/** The platforms that need a runtime from `npm ci --prefix test/runtimes`. */
const runtimes = new Map([
  ["Bun", bun],
  ["Deno", deno],
]);

describe("a quick start, followed in a new folder with the packed package", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await openRegistry();
  });
  afterAll(() => registry?.close());

  for (const node of nodes) {
    it.skipIf(isSkipped(node))(`produces the output that it shows: README.md on ${node.name}`, async () => {
      const terminal = openTerminal(registry.url, { node: programOf(node) });
      try {
        await expect(follow(readQuickStart(beginning), terminal)).resolves.toBeUndefined();
      } finally {
        await terminal.close();
      }
    });
  }

  for (const { platform, page } of quickStarts) {
    const runtime = runtimes.get(platform);
    const isMissing = runtime !== undefined && isSkipped(runtime);
    it.skipIf(isMissing)(`produces the output that it shows: ${page.path}`, async () => {
      if (runtime !== undefined) programOf(runtime); // throws if the runtime is missing and `CI` is set
      const terminal = openTerminal(registry.url);
      try {
        await expect(follow(readQuickStart(page), terminal)).resolves.toBeUndefined();
      } finally {
        await terminal.close();
      }
    });
  }
});
