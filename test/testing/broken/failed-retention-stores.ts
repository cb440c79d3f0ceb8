import type { ExpiredOperation, NewOperation, Submissions } from "async-request-reply/ports";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

function withoutFailedRetention<Kept extends { readonly failedRetentionMs?: number }>(
  members: Kept,
): Omit<Kept, "failedRetentionMs"> {
  const { failedRetentionMs: _, ...rest } = members;
  return rest;
}

/** Stores that break a rule of keeping failed operations. */
export const failedRetentionStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "keeps failed operations as long as completed ones",
    caughtBy: [
      "failed-retention.every-end",
      "failed-retention.read",
      "failed-retention.redriven",
      "redrive.created",
    ],
    methods: (store) => ({
      create: (operation, initial) => store.create(withoutFailedRetention(operation), initial),
    }),
  },
  {
    name: "keeps completed operations as long as failed ones",
    caughtBy: ["failed-retention.every-end"],
    methods: (store) => ({
      create: (operation, initial) => {
        const { retentionMs, failedRetentionMs = retentionMs } = operation;
        return store.create({ ...operation, retentionMs: failedRetentionMs }, initial);
      },
    }),
  },
  {
    name: "keeps cancelled operations as long as completed ones",
    caughtBy: ["failed-retention.every-end"],
    methods: (store, clock) => ({
      takeExpired: async (request) => {
        const cancelled: ExpiredOperation[] = (await store.all()).filter(
          ({ error, settledAt = 0, retentionMs }) =>
            error?.includes("cancelled") === true && settledAt + retentionMs <= clock.now(),
        );
        return [...(await store.takeExpired(request)), ...cancelled];
      },
    }),
  },
  {
    name: "keeps failed follow-ups as long as completed ones",
    caughtBy: ["failed-retention.follow-up", "contents.meta", "redrive.on-end"],
    methods: (store) => ({
      create: ({ onEnd, ...operation }, initial) => {
        const plain: NewOperation =
          onEnd === undefined ? operation : { ...operation, onEnd: withoutFailedRetention(onEnd) };
        return store.create(plain, initial);
      },
    }),
  },
  {
    name: "fills in the retention of failed operations",
    caughtBy: ["failed-retention.read"],
    methods: (store) => ({
      get: async (id, tenant) => {
        const operation = await store.get(id, tenant);
        return operation && { failedRetentionMs: operation.retentionMs, ...operation };
      },
    }),
  },
  {
    name: "hands out redriven operations as soon as their successors are gone",
    caughtBy: ["failed-retention.redriven"],
    methods: (store) => ({
      takeExpired: async (request) => {
        const expired = await store.takeExpired(request);
        const all = await store.all();
        const isGone = (id: string | undefined): boolean => all.every((each) => each.id !== id);
        const kept = all.filter(({ retriedBy }) => retriedBy !== undefined && isGone(retriedBy));
        return [...expired, ...kept.filter(({ id }) => expired.every((each) => each.id !== id))];
      },
    }),
  },
];

/** Atomic submissions that keep failed operations as long as completed ones. */
export const failedRetentionSubmissions: readonly BrokenPort<Submissions<unknown>>[] = [
  {
    name: "keeps failed operations and their keys as long as completed ones",
    caughtBy: ["purge.failed"],
    methods: (submissions) => ({
      record: ({ operation, ...submission }) =>
        submissions.record({ ...submission, operation: withoutFailedRetention(operation) }),
    }),
  },
];
