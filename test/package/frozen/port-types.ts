import { join } from "node:path";
import ts from "typescript";
import { root } from "../../support/built.js";

/** Entries whose types other packages implement: stores, queues and hooks. */
const ENTRIES = ["src/ports.ts"];
/** The files of these types. */
const OF_PORTS = ["src/ports/", "src/contract/operation.ts"].map((path) => join(root, path));

/**
 * Returns the declarations of all types that implementations of ports depend on, without comments, sorted by name. It is the
 * source, so that a type that is only used inside of another one counts too.
 */
export function portTypes(): string {
  const program = ts.createProgram(
    ENTRIES.map((path) => join(root, path)),
    {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      noEmit: true,
    },
  );
  const checker = program.getTypeChecker();
  const printer = ts.createPrinter({ removeComments: true });
  const found = new Map<string, string>();

  function visit(symbol: ts.Symbol): void {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    for (const declaration of target.declarations ?? []) {
      const source = declaration.getSourceFile();
      const isType = ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration);
      const name = target.getName();
      if (!isType || !OF_PORTS.some((path) => source.fileName.startsWith(path)) || found.has(name)) continue;
      found.set(name, printer.printNode(ts.EmitHint.Unspecified, declaration, source));
      ts.forEachChild(declaration, visitNames);
    }
  }
  function visitNames(node: ts.Node): void {
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      if (symbol !== undefined) visit(symbol);
    }
    ts.forEachChild(node, visitNames);
  }

  for (const path of ENTRIES) {
    const source = program.getSourceFile(join(root, path));
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${path} is no module`);
    for (const symbol of checker.getExportsOfModule(module)) visit(symbol);
  }
  const names = [...found.keys()].sort();
  return names.map((name) => `${found.get(name)}\n`).join("\n");
}
