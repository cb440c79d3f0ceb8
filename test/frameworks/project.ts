import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { programOf } from "../runtimes/matrix.js";
import { type Consumer, installPacked, root } from "../support/built.js";
import type { Application } from "./applications/application.js";

/** A file of a project, relative to its folder. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Folders with the packed package and the frameworks. */
export interface Projects {
  /** Writes the files of an application and builds it, with the frameworks of a folder. Returns its folder. */
  create(application: Application, frameworks: string, port: number): Promise<string>;
  /** Returns the errors of the compiler about the files of applications, with the types of their frameworks. */
  typeErrors(applications: readonly Application[]): string[];
  remove(): void;
}

/** The port that all pages use. */
const SHOWN_PORT = "3000";

/** Installs the packed package for several projects. */
export function openProjects(): Projects {
  const consumer: Consumer = installPacked();
  const folderOf = ({ name }: Application): string => join(consumer.folder, name.replaceAll(" ", "-"));
  return {
    create: async (application, frameworks, port) => {
      const { files, runtime, build } = application;
      const folder = folderOf(application);
      mkdirSync(folder);
      // Everything but the package itself, which is in the folder above.
      symlinkSync(relative(folder, join(frameworks, "node_modules")), join(folder, "node_modules"));
      const own = files.map(({ path, text }) => ({ path, text: text.replaceAll(SHOWN_PORT, String(port)) }));
      for (const file of [MANIFEST, ...own]) write(folder, file);
      if (build === undefined) for (const file of own) write(folder, transpiled(file));
      else await promisify(execFile)(programOf(runtime), build, { cwd: folder });
      return folder;
    },
    typeErrors: (applications) =>
      typeErrors(applications.flatMap((each) => each.files.map(({ path }) => join(folderOf(each), path)))),
    remove: () => consumer.remove(),
  };
}

const MANIFEST: SourceFile = { path: "package.json", text: '{ "type": "module" }' };

function write(folder: string, { path, text }: SourceFile): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
  ts.sys,
  root,
);

/** The strict options of the repository, with the decorators of NestJS and the imports of bundlers. */
const compilerOptions: ts.CompilerOptions = {
  ...options,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  erasableSyntaxOnly: false,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  typeRoots: [join(root, "node_modules/@types")],
};

function transpiled({ path, text }: SourceFile): SourceFile {
  return { path: path.replace(/\.ts$/, ".js"), text: ts.transpile(text, compilerOptions) };
}

/** The types of the package come from its sources, because `npm start` builds no declarations. */
function typeErrors(files: readonly string[]): string[] {
  const sources = files.filter((file) => file.endsWith(".ts"));
  const program = ts.createProgram(sources, compilerOptions);
  return sources
    .map((file) => program.getSourceFile(file))
    .flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ])
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
}
