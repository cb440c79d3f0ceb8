import ts from "typescript";

/**
 * Turns an ES module that the bundler wrote into CommonJS. An import becomes constants, so a call costs the same in both
 * formats: no module of the bundler is part of a cycle, or assigns to an export later.
 */
export function toCommonJs(code: string): string {
  const source = ts.createSourceFile("module.js", code, ts.ScriptTarget.Latest);
  let result = '"use strict";';
  let end = 0;
  for (const statement of source.statements) {
    const replacement = toStatement(statement);
    if (replacement === undefined) continue;
    result += code.slice(end, statement.getStart(source)) + replacement;
    end = statement.end;
  }
  return result + code.slice(end);
}

/** Returns the CommonJS for an import or an export. Other statements are the same in both formats. */
function toStatement(statement: ts.Statement): string | undefined {
  if (ts.isImportDeclaration(statement)) return toRequire(statement);
  if (!ts.isExportDeclaration(statement)) return undefined;
  const { exportClause } = statement;
  if (exportClause === undefined || !ts.isNamedExports(exportClause))
    throw new Error("Cannot turn `export *` into CommonJS. Export names.");
  return `module.exports={${exportClause.elements.map(toMember)}};`;
}

/** Leaves out imports without names: the one module with a side effect exports the function that needs it. */
function toRequire({ importClause, moduleSpecifier }: ts.ImportDeclaration): string {
  if (importClause === undefined) return "";
  const { name, namedBindings } = importClause;
  const specifier = (moduleSpecifier as ts.StringLiteral).text;
  if (name !== undefined || namedBindings === undefined)
    throw new Error(`Cannot turn the default import of "${specifier}" into CommonJS. Import names.`);
  const constants = ts.isNamespaceImport(namedBindings)
    ? namedBindings.name.text
    : `{${namedBindings.elements.map(toBinding)}}`;
  return `const ${constants}=require(${JSON.stringify(specifier)});`;
}

const toBinding = ({ propertyName, name }: ts.ImportSpecifier): string => toPair(propertyName ?? name, name);
const toMember = ({ propertyName, name }: ts.ExportSpecifier): string => toPair(name, propertyName ?? name);

function toPair(member: ts.ModuleExportName, { text }: ts.ModuleExportName): string {
  return member.text === text ? text : `${member.text}:${text}`;
}
