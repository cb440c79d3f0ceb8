import type { OperationDefinition } from "../contract/definition/definition.js";

/** A definition with its name in the document. */
export interface NamedDefinition {
  readonly definition: OperationDefinition;
  /** Unique name in Pascal case. */
  readonly name: string;
}

/** Assigns a unique name to each definition. If names such as `a-b` and `a.b` collide, the later one gets a number. */
export function nameDefinitions(definitions: readonly OperationDefinition[]): NamedDefinition[] {
  const taken = new Set<string>();
  return definitions.map((definition) => ({
    definition,
    name: uniqueName(toPascalCase(definition.name), taken),
  }));
}

/**
 * Returns the name, with a number if it is taken, and marks it as taken. Ignores case, because code generators create
 * files with these names, and some file systems ignore case.
 */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique.toLowerCase()); number += 1) unique = `${name}${number}`;
  taken.add(unique.toLowerCase());
  return unique;
}

/** Converts a name to Pascal case: `not-found` becomes `NotFound`. */
export function toPascalCase(name: string): string {
  const words = name.split(/[._-]+/);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
