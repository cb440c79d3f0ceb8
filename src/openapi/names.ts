import type { OperationDefinition } from "../contract/definition.js";

/** A definition, and what it is called in the names of a document. */
export interface NamedDefinition {
  readonly definition: OperationDefinition;
  /** In Pascal case. */
  readonly name: string;
}

/** Gives each definition a name of its own; those of `a-b` and `a.b` would be the same, so that the later is numbered. */
export function nameDefinitions(definitions: readonly OperationDefinition[]): NamedDefinition[] {
  const taken = new Set<string>();
  return definitions.map((definition) => ({
    definition,
    name: uniqueName(toPascalCase(definition.name), taken),
  }));
}

/**
 * The name, with a number if it is taken; then it is taken. Names that differ in case only count as the same: generators
 * make files of them, and not every file system tells them apart.
 */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique.toLowerCase()); number += 1) unique = `${name}${number}`;
  taken.add(unique.toLowerCase());
  return unique;
}

/** A name in the form that programs like for types: `not-found` is `NotFound`. */
export function toPascalCase(name: string): string {
  const words = name.split(/[._-]+/);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
