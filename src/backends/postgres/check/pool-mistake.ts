import type { AsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";

/** Members of a `Pool` of `pg` that describe it. Other pools can lack them. */
interface DescribedPool {
  readonly ending?: unknown;
  readonly ended?: unknown;
  readonly options?: { readonly max?: unknown } | undefined;
}

/** Returns the mistake in a pool that can be found without a connection, or undefined. */
export function poolMistake(pool: object, listen: boolean): AsyncReplyError | undefined {
  const { options } = pool as DescribedPool;
  if (hasEnded(pool)) return misuse(POOL_ENDED);
  if (!listen || options?.max !== 1) return undefined;
  return misuse(
    "The pool of `createPostgresBackend` has `max: 1`, but listening for notifications keeps one connection in use. " +
      "Create the pool with a `max` of at least 2, or pass `listen: false`.",
  );
}

/** Whether the caller has ended a pool. */
export function hasEnded(pool: object): boolean {
  const { ending, ended } = pool as DescribedPool;
  return ending === true || ended === true;
}

/** Message for a pool that has ended. */
export const POOL_ENDED: string =
  "The pool of `createPostgresBackend` has ended, so it provides no connections. Pass an open pool, and end it after " +
  "`backend.close()`.";
