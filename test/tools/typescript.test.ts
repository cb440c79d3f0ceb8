import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifest } from "../support/built.js";
import { type PackedExamples, packExamples } from "./packed-examples.js";

const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
const compilers = Object.keys(dependencies).filter((name) => /^typescript\b/.test(name));
const programOf = (compiler: string): string =>
  join(import.meta.dirname, "node_modules", compiler, "bin/tsc");
const subpaths = Object.keys(manifest.exports);

describe("the packed package", () => {
  let packed: PackedExamples;
  const installed = () => join(packed.folder, "node_modules/async-request-reply");
  beforeAll(() => {
    packed = packExamples();
    cpSync(join(import.meta.dirname, "modules"), join(packed.folder, "modules"), { recursive: true });
    writeFileSync(join(packed.folder, "modules/every-value.cts"), comparison());
    for (const extension of ["mts", "cts"])
      cpSync(join(import.meta.dirname, "declared.mts"), join(packed.folder, `declared/service.${extension}`));
  });
  afterAll(() => packed?.remove());

  it("is built by packing it", () => {
    expect(packed.files).toEqual(
      expect.arrayContaining(["index.js", "index.cjs", "index.d.ts", "index.d.cts"]),
    );
  });

  it("takes at most 1.6 MB on disk", () => {
    const paths = readdirSync(installed(), { recursive: true, encoding: "utf8" });
    const files = paths.map((path) => statSync(join(installed(), path))).filter((stats) => stats.isFile());
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    expect(bytes / 1024 ** 2).toBeLessThanOrEqual(1.6);
  });

  it("has one copy of its types", () => {
    const files = packed.files.filter((file) => file.endsWith(".d.cts"));
    const names = subpaths.map((subpath) => (subpath === "." ? "index" : subpath.slice("./".length)));
    expect(files.sort()).toEqual(names.map((name) => `${name}.d.cts`).sort());
  });

  it.each(subpaths)("describes in CommonJS what the ES module exports: %s", (subpath) => {
    const built = manifest.exports[subpath]?.import.default ?? "";
    const file = join(installed(), built.replace(/\.js$/, ".d.ts"));
    const described = docsIn(file);
    expect(Object.values(described).filter((docs) => docs === "")).toEqual([]);
    expect(docsIn(file.replace(/\.d\.ts$/, ".d.cts"))).toEqual(described);
  });

  describe.each(compilers)("compiles with %s", (compiler) => {
    const isMissing = !existsSync(programOf(compiler));
    const itCompiles = it.skipIf(isMissing && !process.env.CI);

    itCompiles("together with the examples", () => {
      expect(errorsOf(compiler, packed.folder)).toEqual([]);
    });

    itCompiles.each(["node16", "nodenext"])(
      "in programs that mix CommonJS and ES modules, as %s, with the same types",
      (module) => {
        const options = { module, moduleResolution: module };
        const project = { extends: "../tsconfig.json", compilerOptions: options, include: ["."] };
        writeFileSync(join(packed.folder, "modules/tsconfig.json"), JSON.stringify(project));
        expect(errorsOf(compiler, packed.folder, "modules")).toEqual([]);
      },
    );

    itCompiles.each(["node16", "nodenext"])(
      "in projects that emit declarations, as %s, and names only exported types there",
      (module) => {
        const options = {
          module,
          moduleResolution: module,
          noEmit: false,
          declaration: true,
          rootDir: ".",
          outDir: "out",
        };
        const project = { extends: "../tsconfig.json", compilerOptions: options, include: ["."] };
        writeFileSync(join(packed.folder, "declared/tsconfig.json"), JSON.stringify(project));
        expect(errorsOf(compiler, packed.folder, "declared")).toEqual([]);
        for (const file of ["service.d.mts", "service.d.cts"])
          expect(readFileSync(join(packed.folder, "declared/out", file), "utf8")).not.toContain("dist/");
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
function errorsOf(compiler: string, cwd: string, project: string = "."): readonly string[] {
  const program = programOf(compiler);
  if (!existsSync(program)) expect.unreachable(`${compiler} is missing: npm ci --prefix test/tools`);
  const args = [program, "--pretty", "false", "--project", project];
  const { stdout } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  const own = "node_modules/async-request-reply/";
  return stdout
    .split("\n")
    .filter(
      (line) => line.includes("error TS") && (line.startsWith(own) || !/^[^(:]*node_modules\//.test(line)),
    );
}
