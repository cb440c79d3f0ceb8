import type { AsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";

/** What a `Pool` of `pg` tells about itself. Other pools may tell nothing. */
interface Telling {
  readonly ending?: unknown;
  readonly ended?: unknown;
  readonly options?: { readonly max?: unknown } | undefined;
}

/** Returns what is wrong with a pool before it is asked for a connection, or undefined. */
export function poolMistake(pool: object, listen: boolean): AsyncReplyError | undefined {
  const { options } = pool as Telling;
  if (hasEnded(pool)) return misuse(POOL_ENDED);
  if (!listen || options?.max !== 1) return undefined;
  return misuse(
    "The pool of `createPostgresBackend` has `max: 1`, and listening for notifications keeps one connection for as long as " +
      "it runs. Create the pool with a `max` of at least 2, or pass `listen: false`.",
  );
}

/** Whether the caller has ended a pool. */
export function hasEnded(pool: object): boolean {
  const { ending, ended } = pool as Telling;
  return ending === true || ended === true;
}

/** What is wrong with a pool that was ended. */
export const POOL_ENDED: string =
  "The pool of `createPostgresBackend` has ended, so it gives no connection. Pass an open pool, and end it after " +
  "`backend.close()`.";
