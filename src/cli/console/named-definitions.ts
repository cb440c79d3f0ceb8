import { defineOperation } from "../../contract/definition/definition.js";
import type { Definitions } from "../../contract/definition/definitions.js";
import { misuse } from "../../contract/options.js";
import type { StandardSchema } from "../../contract/schema.js";
import type { Backend } from "../../ports/backend.js";

/** How many of the newest operations are read to find the names of definitions. */
const NEWEST = 1_000;

/**
 * Returns definitions with these names, or with those that a store has operations of. They take any value, and their paths are made up,
 * because the program does not know those of the service.
 *
 * Throws `INVALID_OPTION` if it has no operations.
 */
export async function definitionsIn(
  { operations, output }: Backend,
  given: readonly string[] | undefined,
): Promise<Definitions> {
  const names = given ?? (await namesIn(operations));
  if (names.length === 0)
    throw misuse("The database has no operations yet. Pass `--definition NAME` to watch a definition.");
  const more = output === undefined ? {} : { chunk: ANYTHING, checkpoint: ANYTHING };
  return names.map((name) =>
    defineOperation({ name, path: `/path-of-${name}`, input: ANYTHING, ...more }),
  ) as unknown as Definitions;
}

async function namesIn(operations: Backend["operations"]): Promise<readonly string[]> {
  const newest = { limit: NEWEST, internal: true };
  const lists = await Promise.all([
    operations.list(newest),
    operations.list({ ...newest, state: "pending" }),
    operations.list({ ...newest, state: "failed" }),
  ]);
  return [...new Set(lists.flat().map(({ definition }) => definition))].sort();
}

const ANYTHING: StandardSchema = {
  "~standard": { version: 1, vendor: "async-request-reply", validate: (value) => ({ value }) },
};
