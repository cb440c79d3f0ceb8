import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifest } from "../support/built.js";
import { isNight } from "../support/effort.js";
import { execute, versions } from "./installed.js";
import { type PackedExamples, packExamples } from "./packed-examples.js";

const versionOf = (name: string): string => versions[name]?.match(/[\d.]+$/)?.[0] ?? "";
const installed = Object.keys(versions)
  .filter((name) => /^typescript\b/.test(name))
  .sort((a, b) => versionOf(a).localeCompare(versionOf(b), "en", { numeric: true }));

/** A version between the oldest and the newest rarely refuses what both accept. At night, every one has its say. */
const compilers = isNight ? installed : [installed[0], installed.at(-1)].filter((name) => name !== undefined);
const programOf = (compiler: string): string =>
  join(import.meta.dirname, "node_modules", compiler, "bin/tsc");
const subpaths = Object.keys(manifest.exports);

/** A compiler spends most of its time on the types of libraries, so each project has all that its options can compile. */
const mixed = "programs that mix CommonJS and ES modules";
const projects = [
  {
    programs: `the examples, and ${mixed}`,
    module: "nodenext",
    include: ["examples", "modules", "declared"],
  },
  { programs: mixed, module: "node16", include: ["modules", "declared"] },
];

describe("the packed package", () => {
  let packed: PackedExamples;
  const packageFolder = () => join(packed.folder, "node_modules/async-request-reply");
  beforeAll(() => {
    packed = packExamples();
    cpSync(join(import.meta.dirname, "modules"), join(packed.folder, "modules"), { recursive: true });
    writeFileSync(join(packed.folder, "modules/every-value.cts"), comparison());
    for (const extension of ["mts", "cts"])
      cpSync(join(import.meta.dirname, "declared.mts"), join(packed.folder, `declared/service.${extension}`));
  });
  afterAll(() => packed?.remove());

  it("is built by packing it", () => {
    const built = ["index.js", "index.cjs", "index.d.ts", "index.d.cts"];
    expect(packed.files).toEqual(expect.arrayContaining(built));
  });

  it("takes at most 2.75 MB on disk", () => {
    const paths = readdirSync(packageFolder(), { recursive: true, encoding: "utf8" });
    const stats = paths.map((path) => statSync(join(packageFolder(), path)));
    const bytes = stats.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
    expect(bytes / 1024 ** 2).toBeLessThanOrEqual(2.75);
  });

  it("has one copy of its types", () => {
    const files = packed.files.filter((file) => file.endsWith(".d.cts"));
    const names = subpaths.map((subpath) => (subpath === "." ? "index" : subpath.slice("./".length)));
    expect(files.sort()).toEqual(names.map((name) => `${name}.d.cts`).sort());
  });

  it.each(subpaths)("describes in CommonJS what the ES module exports: %s", (subpath) => {
    const built = manifest.exports[subpath]?.import.default ?? "";
    const file = join(packageFolder(), built.replace(/\.js$/, ".d.ts"));
    const described = docsIn(file);
    expect(Object.values(described).filter((docs) => docs === "")).toEqual([]);
    expect(docsIn(file.replace(/\.d\.ts$/, ".d.cts"))).toEqual(described);
  });

  describe.concurrent.each(compilers)("compiles with %s", (compiler) => {
    const isMissing = !existsSync(programOf(compiler));
    for (const { programs, module, include } of projects)
      it.skipIf(isMissing && !process.env.CI)(
        `${programs}, as ${module}, and names only exported types in declarations`,
        async ({ expect }) => {
          const name = `${compiler}-${module}`;
          const compilerOptions = { module, moduleResolution: module, outDir: name };
          const project = { extends: "./tsconfig.json", compilerOptions, include };
          writeFileSync(join(packed.folder, `${name}.json`), JSON.stringify(project));
          expect(await errorsOf(compiler, packed.folder, `${name}.json`)).toEqual([]);
          for (const file of ["service.d.mts", "service.d.cts"])
            expect(readFileSync(join(packed.folder, name, "declared", file), "utf8")).not.toContain("dist/");
        },
      );
  });
});

/** Returns a module that compiles only if every value has the same type in CommonJS and in ES modules. */
function comparison(): string {
  return `
    type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
    type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
    function areSame<_ extends true>(): void {}
    ${subpaths
      .map((subpath, index) => {
        const from = JSON.stringify(`${manifest.name}${subpath.slice(1)}`);
        return `
          import type * as esm${index} from ${from} with { "resolution-mode": "import" };
          import cjs${index} = require(${from});
          areSame<Same<Writable<typeof esm${index}>, Writable<typeof cjs${index}>>>();`;
      })
      .join("")}`;
}

/** Returns the docs of each export of a file. */
function docsIn(file: string): Readonly<Record<string, string>> {
  const program = ts.createProgram([file], { module: ts.ModuleKind.NodeNext, noLib: true, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  return Object.fromEntries(
    exported.map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const tags = target.getJsDocTags(checker).flatMap(({ text }) => text ?? []);
      const docs = ts.displayPartsToString([...target.getDocumentationComment(checker), ...tags]);
      // TypeScript adds a space to a link to something that the file does not import.
      return [symbol.name, docs.replaceAll(" }", "}").replaceAll(/\n+/g, "\n")];
    }),
  );
}

/** Returns the errors in a project and the package's declarations. Other packages may need a newer compiler. */
async function errorsOf(compiler: string, cwd: string, project: string): Promise<readonly string[]> {
  const program = programOf(compiler);
  if (!existsSync(program)) expect.unreachable(`${compiler} is missing: npm ci --prefix test/tools`);
  const args = [program, "--pretty", "false", "--project", project];
  const { stdout } = await execute(process.execPath, args, { cwd });
  const own = "node_modules/async-request-reply/";
  return stdout
    .split("\n")
    .filter(
      (line) => line.includes("error TS") && (line.startsWith(own) || !/^[^(:]*node_modules\//.test(line)),
    );
}
