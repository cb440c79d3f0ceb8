import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { manifest } from "../support/built.js";
import { page, root } from "../support/pages.js";

const { text } = page("bench/README.md");

/** Reads the tables of the page, as the benchmarks do that print them. */
const { configurationsOf, rowOf } = (await load("configurations.mjs")) as {
  readonly configurationsOf: (heading: string) => ReadonlyMap<string, string>;
  readonly rowOf: (name: string, configurations: ReadonlyMap<string, string>) => string;
};

/** The programs of all benchmarks, by their path from `bench`. */
const programs = new Map(
  readdirSync(join(root, "bench"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".mjs") && !path.includes("node_modules"))
    .map((path) => [path.replaceAll("\\", "/"), readFileSync(join(root, "bench", path), "utf8")]),
);

/** Returns the first group of all matches in the text, each once. */
function found(where: string, pattern: RegExp): string[] {
  return [...new Set([...where.matchAll(pattern)].map(([, group = ""]) => group))].sort();
}

function load(path: string): Promise<object> {
  return import(pathToFileURL(join(root, "bench", path)).href);
}

/** Returns the names of the contenders among the exports of a benchmark, also of those in lists and tables. */
function contendersIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return "name" in value ? [String(value.name)] : Object.values(value).flatMap(contendersIn);
}

/** Every name has a row in the table below this heading, and every row is that of a name. */
function expectRows(heading: string, names: readonly string[]): void {
  const configurations = configurationsOf(heading);
  const rows = new Set(names.map((name) => rowOf(name, configurations)));
  expect([...rows].sort()).toEqual([...configurations.keys()].sort());
}

describe("the page about benchmarks", () => {
  it.each([
    ["On Postgres", "postgres/variants.mjs", "postgres/index.mjs"],
    ["On SQLite", "sqlite/variants.mjs", "sqlite/index.mjs"],
    ["With message brokers", "queues/variants.mjs", "queues/index.mjs"],
    ["With output", "output/variants.mjs", "output/index.mjs"],
    ["Over HTTP", "variants.mjs", "servers.mjs"],
  ])(
    "says %s how every contender of bench/%s is configured, and no other",
    async (heading, path, printer) => {
      expectRows(heading, contendersIn(await load(path)));
      expect(programs.get(printer)).toContain(`"${heading}"`);
    },
  );

  it("says without sockets how every contender is configured, and no other", () => {
    const names = ["handlers.mjs", "strict-json.mjs"].flatMap((path) =>
      found(programs.get(path) ?? "", /\b(?:ofRequests|plainHandler|fetchHandler|subject)\("(.+?)"/g),
    );
    expectRows("Without sockets", names);
    expect(programs.get("in-process.mjs")).toContain('"Without sockets"');
  });

  it("describes every part of every benchmark", () => {
    const sections = ["postgres", "sqlite", "queues"].flatMap((folder) =>
      found(programs.get(`${folder}/index.mjs`) ?? "", /^ {4}(\w+): \(await import/gm),
    );
    const goals = [...programs.values()].flatMap((program) => found(program, /^ {2}(G\d+): \{$/gm));
    const others = found(programs.get("index.mjs") ?? "", /^const others = \{ (.+) \}/gm)
      .join()
      .match(/\w+(?=:)/g);
    const parts = [...sections, ...goals, ...(others ?? [])].filter((part) => part !== "against");
    expect(parts.length).toBeGreaterThan(15);
    expect(parts.filter((part) => !text.includes(`\`${part}\``))).toEqual([]);
  });

  it("lists the variables that the benchmarks read, with the defaults of numbers", () => {
    const all = [...programs.values()].join("\n");
    const read = found(all, /process\.env\.(BENCH_\w+)/g).filter((name) => name !== "BENCH_BUILD");
    expect(found(text, /^\| `(BENCH_\w+)` \|/gm)).toEqual(read);
    for (const [, name, value = ""] of all.matchAll(/process\.env\.(BENCH_\w+) \?\? ([\d_]+)\)/g)) {
      const row = text.split("\n").find((line) => line.startsWith(`| \`${name}\``));
      expect(row).toContain(Number(value.replaceAll("_", "")).toLocaleString("en"));
    }
  });

  it("names only commands of package.json, and all that compare", () => {
    const commands = found(text, /\bnpm run ([\w:]+)/g);
    expect(commands.filter((command) => !(command in manifest.scripts))).toEqual([]);
    const comparing = Object.keys(manifest.scripts).filter((name) => name.startsWith("bench"));
    expect(comparing.sort()).toEqual(commands);
  });

  it("describes every member of a contender on a store that these parts use", () => {
    const used = ["accept", "queue", "latency"].flatMap((part) =>
      found(programs.get(`postgres/inside/${part}.mjs`) ?? "", /\bvariant\.(\w+)\??\.?\(/g),
    );
    const described = found(programs.get("postgres/variants.mjs") ?? "", /^ \* - `(\w+)\(.*?\)`/gm);
    expect(described).toEqual([...new Set([...used, "close"])].sort());
  });
});
