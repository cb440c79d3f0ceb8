import { type AwaitUsing, awaitUsing } from "../contract/await-using.js";
import { AsyncReplyError, isAsyncReplyError, maybeRecorded } from "../contract/errors.js";
import { withId } from "../contract/operation.js";
import { isObject, present } from "../contract/options.js";
import { operationError } from "../contract/problem.js";
import { systemClock } from "../platform/system-runtime.js";
import type { Backend, SeparateStores, Submissions } from "../ports/backend.js";
import type { Abandoned, AbandonedRequest, KeyBinding } from "../ports/idempotency-store.js";
import type { Clock } from "../ports/runtime.js";
import type { RecordManyResult, RecordResult, Submission } from "../ports/submission.js";
import { checkBackend, checkSeparateStores } from "./check-backend.js";

/** Time between the release of a key and the removal of its operation. Milliseconds. */
const GRACE_MS = 300_000;
/** Time after which a submission that has bound its key creates nothing any more. Milliseconds. */
const CREATE_WITHIN_MS = GRACE_MS / 2;

/**
 * Composes two stores that share no transaction to a back end. A submission binds its key, which fixes the id of the operation, and
 * then creates the operation, so any retry can repeat the second step. A key is released 5 minutes before its operation is removed.
 * `clock` measures these times. Default: the platform's.
 *
 * Throws `INVALID_OPTION`.
 */
export function composeStores(
  stores: SeparateStores,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Backend<never> & AwaitUsing {
  checkSeparateStores(stores);
  const { operations, output, minutes, actions, queue } = stores;
  return {
    operations,
    ...present({ output, minutes, actions }),
    queue,
    submissions: createSubmissions(stores, clock),
    check: async () => stores.check?.(),
    close: () => (stores.close === undefined ? queue.close() : stores.close()),
    ...awaitUsing(),
  };
}

/**
 * Returns the back end that was given, or composes one if its stores are separate.
 *
 * Throws `INVALID_OPTION`.
 */
export function toBackend<Tx>(given: Backend<Tx> | SeparateStores, clock: Clock): Backend<Tx> {
  if (isObject(given) && "idempotency" in given && !("submissions" in given))
    return composeStores(given, { clock }) as Backend<Tx>;
  checkBackend(given);
  return given as Backend<Tx>;
}

function createSubmissions(stores: SeparateStores, clock: Clock): Submissions<never> {
  const record = (submission: Submission): Promise<RecordResult> => recordIn(stores, submission, clock);
  return {
    record,
    recordMany: (submissions) => Promise.all(submissions.map((each) => record(each).catch(refused))),
    findKey: (reference) => stores.idempotency.find(reference),
    purge: (request) => purge(stores, request),
    endAbandoned: (request) => endAbandoned(stores, request, clock),
  };
}

async function recordIn(
  { operations, idempotency }: SeparateStores,
  { operation, fingerprint, initial }: Submission,
  clock: Clock,
): Promise<RecordResult> {
  const { id, tenant, definition, key } = operation;
  if (key === undefined) {
    await operations.create(operation, initial);
    return { outcome: "created" };
  }
  const end = clock.elapsed() + CREATE_WITHIN_MS;
  const binding = await idempotency.bind({ tenant, definition, key, fingerprint, operationId: id });
  const isOwn = binding.outcome === "bound";
  const { operationId, fingerprint: held } = isOwn ? { operationId: id, fingerprint } : binding;
  const known = isOwn ? undefined : await operations.get(operationId, tenant).catch(bound);
  if (known !== undefined) return { outcome: "exists", operation: known, fingerprint: held };
  if (held !== fingerprint) return { outcome: "in-progress", fingerprint: held };
  // After a long pause, the binding may have been released and its operation purged. Creating the operation now would
  // run it a second time.
  if (clock.elapsed() >= end)
    throw new AsyncReplyError("STORE_UNAVAILABLE", "The idempotency store did not answer in time.");
  const created = await operations.create(withId(operation, operationId), initial).catch(bound);
  if (created === "created") return isOwn ? { outcome: "created" } : { outcome: "created", operationId };
  const others = await operations.get(operationId, tenant);
  if (others === undefined)
    throw new AsyncReplyError(
      "CORRUPT_RECORD",
      "The operation exists, but the store does not return it for this tenant. Check its record in the store.",
    );
  return { outcome: "exists", operation: others, fingerprint };
}

/** Marks an error as uncertain: the key is already bound, so another request with it may create the operation. */
function bound(error: unknown): never {
  throw maybeRecorded(error);
}

/** Any other error leaves open whether its submission was recorded. Then all of them can be repeated. */
function refused(error: unknown): RecordManyResult {
  if (isAsyncReplyError(error) && error.context.recorded === "no") return { outcome: "refused", error };
  throw error;
}

/**
 * Releases the keys of expired operations, and deletes the operations after the grace period. A submission that has
 * just read the binding must still find its operation, or it would create the operation again.
 */
async function purge(
  { operations, idempotency }: SeparateStores,
  request: { readonly limit: number },
): Promise<number> {
  const expired = await operations.takeExpired(request);
  for (const { id, tenant, definition, key } of expired) {
    if (key !== undefined) await idempotency.release({ tenant, definition, key, operationId: id });
  }
  if (expired.length > 0)
    await operations.remove(
      expired.map(({ id }) => id),
      { afterMs: GRACE_MS },
    );
  return expired.length;
}

/**
 * Ends bindings that have had no operation for long, by creating a failed operation with the id of the binding. Releasing
 * it would be unsafe, because its process might still create the operation. The sweep later deletes the failed
 * operation like any other.
 */
async function endAbandoned(
  { operations, idempotency }: SeparateStores,
  { olderThanMs, limit, retentionOf }: AbandonedRequest,
  clock: Clock,
): Promise<Abandoned> {
  const until = clock.now() + CREATE_WITHIN_MS;
  const ended: KeyBinding[] = [];
  const stale = await idempotency.takeStale({ olderThanMs, limit });
  for (const binding of stale) {
    const { operationId, tenant, definition, key } = binding;
    if ((await operations.get(operationId, tenant)) !== undefined) continue;
    const { retentionMs, failedRetentionMs } = retentionOf(definition);
    const work = { tenant, definition, key, input: "null", retentionMs, failedRetentionMs };
    const operation = { id: operationId, ...work };
    // If this process was paused until now, the operation may have been created, ended and purged meanwhile.
    if (clock.now() >= until) break;
    const created = await operations.create(operation, { state: "failed", error: ABANDONED });
    if (created === "created") ended.push(binding);
  }
  return { looked: stale.length, ended };
}

const ABANDONED = operationError(
  "abandoned",
  "The submission was never completed, so no work was done. Submit again with a new key.",
);
