import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import tsconfig from "../../tsconfig.json" with { type: "json" };
import { root } from "../support/built.js";
import before from "./exports-0.2.0.json" with { type: "json" };

type Exports = Readonly<Record<string, readonly string[]>>;

/** Returns the names of all values and types that each subpath of the package exports. */
function exportsNow(): Exports {
  const entries = Object.entries(tsconfig.compilerOptions.paths);
  return Object.fromEntries(
    entries.map(([name, [file = ""]]) => [
      name.replace("async-request-reply", "."),
      namesIn(readFileSync(join(root, file), "utf8")),
    ]),
  );
}

/** Returns the names that an entry exports. Entries have no exports but lists of names. */
function namesIn(entry: string): string[] {
  const lists = [...entry.matchAll(/^export (?:type )?\{([^}]+)\}/gm)];
  return lists.flatMap(([, list = ""]) => list.match(/\w+(?=\s*(?:,|$))/g) ?? []);
}

/** Returns the changelog, and what the next release adds to it. */
function changelog(): string {
  const folder = join(root, ".changeset");
  const pending = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".md")) : [];
  const files = [join(root, "CHANGELOG.md"), ...pending.map((name) => join(folder, name))];
  return files.map((file) => readFileSync(file, "utf8")).join("\n");
}

/** Returns the rows of the table of renames: a subpath of 0.2.0, names that it exported, and what they are now. */
function renames(): readonly {
  readonly from: string;
  readonly names: readonly string[];
  readonly to: string;
}[] {
  const [, table = ""] = changelog().split(/\| Export of 0\.2\.0 \| Now \|\n\s*\|---\|---\|\n/);
  const rows = table.split(/\n\s*\n/)[0] ?? "";
  return [...rows.matchAll(/\| `(\.[^`]*)`: ([^|]+) \| ([^|]+) \|/g)].map(
    ([, from = "", names = "", to = ""]) => ({
      from,
      names: [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
      to,
    }),
  );
}

describe("the table of renames in the changelog", () => {
  const now = exportsNow();

  it("names every export of 0.2.0 that is not where it was", () => {
    const missing = Object.entries<readonly string[]>(before).flatMap(([subpath, names]) =>
      names.filter((name) => now[subpath]?.includes(name) !== true).map((name) => `${subpath} ${name}`),
    );
    expect(
      renames()
        .flatMap(({ from, names }) => names.map((name) => `${from} ${name}`))
        .sort(),
    ).toEqual(missing.sort());
  });

  it.each(renames())("says what became of $from: $names", ({ names, to }) => {
    const [, subpath, name] = /^`(\.[^`]*)`(?:: `(\w+)`)?/.exec(to) ?? [];
    if (subpath === undefined) expect(to).toMatch(/^removed: /);
    else expect(now[subpath]).toEqual(expect.arrayContaining(name === undefined ? [...names] : [name]));
  });
});
