import type { ExpiredOperation, Submissions } from "async-request-reply/ports";
import { creating, reading } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import { recording } from "./recorder.js";
import type { TrackedStore } from "./tracked-store.js";

function withoutFailedRetention<Kept extends { readonly failedRetentionMs?: number }>(
  members: Kept,
): Omit<Kept, "failedRetentionMs"> {
  const { failedRetentionMs: _, ...rest } = members;
  return rest;
}

/** Stores that break a rule of keeping failed operations. */
export const failedRetentionStores = named<TrackedStore>({
  "keeps failed operations as long as completed ones": caughtBy(
    ["failed-retention.every-end", "failed-retention.read", "failed-retention.redriven", "redrive.created"],
    (store) => creating(store, withoutFailedRetention),
  ),
  "keeps completed operations as long as failed ones": caughtBy(["failed-retention.every-end"], (store) =>
    creating(store, (operation) => {
      const { retentionMs, failedRetentionMs = retentionMs } = operation;
      return { ...operation, retentionMs: failedRetentionMs };
    }),
  ),
  "keeps cancelled operations as long as completed ones": caughtBy(
    ["failed-retention.every-end"],
    (store, clock) => ({
      takeExpired: async (request) => {
        const cancelled: ExpiredOperation[] = (await store.all()).filter(
          ({ error, settledAt = 0, retentionMs }) =>
            error?.includes("cancelled") === true && settledAt + retentionMs <= clock.now(),
        );
        return [...(await store.takeExpired(request)), ...cancelled];
      },
    }),
  ),
  "keeps failed follow-ups as long as completed ones": caughtBy(
    ["failed-retention.follow-up", "contents.meta", "redrive.on-end"],
    (store) =>
      creating(store, ({ onEnd, ...operation }) =>
        onEnd === undefined ? operation : { ...operation, onEnd: withoutFailedRetention(onEnd) },
      ),
  ),
  "fills in the retention of failed operations": caughtBy(["failed-retention.read"], (store) =>
    reading(store, (operation) => ({ failedRetentionMs: operation.retentionMs, ...operation })),
  ),
  "hands out redriven operations as soon as their successors are gone": caughtBy(
    ["failed-retention.redriven"],
    (store) => ({
      takeExpired: async (request) => {
        const expired = await store.takeExpired(request);
        const all = await store.all();
        const isGone = (id: string | undefined): boolean => all.every((each) => each.id !== id);
        const kept = all.filter(({ retriedBy }) => retriedBy !== undefined && isGone(retriedBy));
        return [...expired, ...kept.filter(({ id }) => expired.every((each) => each.id !== id))];
      },
    }),
  ),
});

/** Atomic submissions that keep failed operations as long as completed ones. */
export const failedRetentionSubmissions = named<Submissions<unknown>>({
  "keeps failed operations and their keys as long as completed ones": caughtBy(
    ["purge.failed"],
    (submissions) => recording(submissions, withoutFailedRetention),
  ),
});
