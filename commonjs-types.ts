import { writeFileSync } from "node:fs";
import ts from "typescript";

/**
 * Writes the types of CommonJS loaders: `NAME.d.cts` refers to `NAME.d.ts`, so both kinds of import have the same types.
 * CommonJS cannot re-export the values of an ES module, so each is declared again, with its docs.
 */
export function writeCommonJsTypes(folder: string, names: readonly string[]): void {
  const files = names.map((name) => `${folder}/${name}.d.ts`);
  const program = ts.createProgram(files, { module: ts.ModuleKind.NodeNext, noLib: true, types: [] });
  const checker = program.getTypeChecker();
  for (const name of names) {
    const source = program.getSourceFile(`${folder}/${name}.d.ts`);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${folder}/${name}.d.ts is missing or exports nothing.`);
    const from = `from "./${name}.js" with { "resolution-mode": "import" };`;
    const declared = checker.getExportsOfModule(module).map((exported) => toDeclaration(exported, checker));
    const text = `import type * as esm ${from}\nexport type * ${from}\n${declared.join("")}`;
    writeFileSync(`${folder}/${name}.d.cts`, text);
  }
}

/** Returns an empty text for a type, which `export type *` covers. */
function toDeclaration(exported: ts.Symbol, checker: ts.TypeChecker): string {
  const { name, flags } = exported;
  const target = flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  if (!(target.flags & ts.SymbolFlags.Value)) return "";
  const value = `${docsOf(target)}export declare const ${name}: typeof esm.${name};\n`;
  // The declaration of a class hides its type, so the type needs one too.
  return target.flags & ts.SymbolFlags.Type ? `${value}${toType(name, target)}` : value;
}

function toType(name: string, { declarations }: ts.Symbol): string {
  const parameters = declarations?.find(ts.isClassLike)?.typeParameters ?? [];
  const declared = parameters.map((parameter) => parameter.getText());
  const passed = parameters.map((parameter) => parameter.name.text);
  return `export type ${name}${toList(declared)} = esm.${name}${toList(passed)};\n`;
}

function toList(texts: readonly string[]): string {
  return texts.length === 0 ? "" : `<${texts.join(", ")}>`;
}

/** Returns the docs of all overloads as one comment. */
function docsOf({ declarations = [] }: ts.Symbol): string {
  const docs = declarations
    .flatMap((declaration) => ts.getJSDocCommentsAndTags(declaration))
    .filter(ts.isJSDoc);
  const texts = docs.map((doc) => doc.getText().slice("/**".length, -"*/".length).trimEnd());
  return docs.length === 0 ? "" : `/**${texts.join("\n *")} */\n`;
}
