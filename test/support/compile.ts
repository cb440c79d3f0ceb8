import { join } from "node:path";
import ts from "typescript";
import { type Block, root } from "./pages.js";

const configuration = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
  ts.sys,
  root,
);

/** Compiles each block as a separate module at the root of the repository, and returns the errors. */
export function compile(blocks: readonly Block[]): string[] {
  const options = { ...configuration.options, allowJs: true, checkJs: true };
  const modules = new Map(blocks.map((block) => [fileOf(block), block]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => modules.has(file) || fileExists(file);
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const text = modules.get(file)?.text;
    if (text === undefined) return getSourceFile(file, languageVersion, ...rest);
    return ts.createSourceFile(file, text, languageVersion, true);
  };
  const program = ts.createProgram([...modules.keys()], options, host);
  return [...modules].flatMap(([file, block]) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      (diagnostic) => describe(block, diagnostic),
    );
  });
}

/** Parses a block that is not a complete module, and returns its syntax errors. */
export function parse(block: Block): string[] {
  const { diagnostics = [] } = ts.transpileModule(block.text, {
    reportDiagnostics: true,
    compilerOptions: configuration.options,
  });
  return diagnostics.map((diagnostic) => describe(block, diagnostic));
}

function fileOf({ place, info: [language] }: Block): string {
  return join(root, `${place.replaceAll(/[/:]/g, "-")}.${language}`).replaceAll("\\", "/");
}

function describe({ place, text }: Block, { start = 0, messageText }: ts.Diagnostic): string {
  const line = text.slice(0, start).split("\n").length;
  return `${place}, line ${line} of the block: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
}
