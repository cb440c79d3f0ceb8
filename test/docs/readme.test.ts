import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type OperationState, type Settlement, transition } from "../../src/core/operation.js";
import { blocksOf, page, root } from "./pages.js";

const readme = page("README.md");

const STATES: readonly OperationState[] = ["preparing", "pending", "completed", "failed"];
const SETTLEMENTS: readonly Settlement["to"][] = ["completed", "failed", "retry", "prepared"];

describe("the README", () => {
  it("draws the transitions that there are, and no others", () => {
    const [diagram] = blocksOf(readme, "mermaid");
    const drawn = [...(diagram?.text ?? "").matchAll(/^ *(\w+) --> (\w+):/gm)].map(
      ([, from, to]) => `${from} ${to}`,
    );
    const possible = STATES.flatMap((from) =>
      SETTLEMENTS.map((settlement) => transition(from, settlement))
        .filter((to) => to !== undefined)
        .map((to) => `${from} ${to}`),
    );
    expect(drawn.sort()).toEqual([...new Set(possible)].sort());
  });

  it("lists the subpaths of the package", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, unknown>>;
      readonly engines: { readonly node: string };
    };
    const listed = [...readme.text.matchAll(/^\| `async-request-reply(\/\w+)?` \|/gm)].map(
      ([, path = ""]) => `.${path}`,
    );
    expect(listed).toEqual(Object.keys(manifest.exports));
    expect(readme.text).toContain(`Node \`${manifest.engines.node}\``);
  });

  it("states the size that a test of the package holds", () => {
    const [, stated] = /takes at most (\d+ KB)/.exec(readme.text) ?? [];
    const measured = readFileSync(join(root, "test/package/bundle.test.ts"), "utf8");
    expect(stated).toBeDefined();
    expect(measured).toContain(`within ${stated}, minified and compressed`);
  });
});
