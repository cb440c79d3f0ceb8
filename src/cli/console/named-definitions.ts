import { defineOperation } from "../../contract/definition/definition.js";
import type { Definitions } from "../../contract/definition/definitions.js";
import { misuse } from "../../contract/options.js";
import type { StandardSchema } from "../../contract/schema.js";
import type { Backend } from "../../ports/backend.js";
import { HOUR_MS } from "../../ports/minutes-store.js";

/** How many of the newest operations are read to find the names of definitions. */
const NEWEST = 1_000;

/** Time of the counts by minute that are read for the same. Milliseconds. */
const COUNTED_MS = 7 * 86_400_000;

/**
 * Returns definitions with these names, or with those that a store has operations or counts of. They take any value, and their paths are made up,
 * because the program does not know those of the service.
 *
 * Throws `INVALID_OPTION` if it has no operations.
 */
export async function definitionsIn(
  backend: Backend,
  given: readonly string[] | undefined,
): Promise<Definitions> {
  const names = given ?? [...new Set([...(await namesIn(backend)), ...(await countedIn(backend))])].sort();
  if (names.length === 0)
    throw misuse(
      "The database has no operations and no workers yet. Pass `--definition NAME` to watch a definition.",
    );
  const more = backend.output === undefined ? {} : { chunk: ANYTHING, checkpoint: ANYTHING };
  return names.map((name) =>
    defineOperation({ name, path: `/path-of-${name}`, input: ANYTHING, ...more }),
  ) as unknown as Definitions;
}

async function namesIn({ operations }: Backend): Promise<readonly string[]> {
  const newest = { limit: NEWEST, internal: true };
  const lists = await Promise.all([
    operations.list(newest),
    operations.list({ ...newest, state: "pending" }),
    operations.list({ ...newest, state: "failed" }),
  ]);
  return lists.flat().map(({ definition }) => definition);
}

/** Returns the names that processes have counted, also of definitions without operations whose workers are idle. */
async function countedIn({ minutes }: Backend): Promise<readonly string[]> {
  const to = Math.floor(Date.now() / HOUR_MS + 1) * HOUR_MS;
  const steps = await minutes?.read({ from: to - COUNTED_MS, to, stepMs: COUNTED_MS });
  return (steps ?? []).map(({ definition }) => definition);
}

const ANYTHING: StandardSchema = {
  "~standard": { version: 1, vendor: "async-request-reply", validate: (value) => ({ value }) },
};
