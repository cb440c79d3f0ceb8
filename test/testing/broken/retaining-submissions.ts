import type { Operation, SeparateOperationStore } from "async-request-reply/ports";
import type { ManualClock } from "async-request-reply/testing";
import { allOperations } from "../../support/all-operations.js";
import { type BrokenPort, caughtBy, named, overriding } from "./prove.js";
import type { Recorder } from "./recorder.js";

/** Makes the mistake in the store of operations. */
const storing =
  (
    mistake: (store: SeparateOperationStore) => Partial<SeparateOperationStore>,
  ): BrokenPort<Recorder>["methods"] =>
  ({ operations }) => ({ operations: overriding(operations, mistake(operations)) });

/** Purges the operations that `isOver` names, besides those that a right purge deletes. */
const alsoPurging =
  (
    isOver: (operation: Operation, clock: ManualClock, all: readonly Operation[]) => boolean,
  ): BrokenPort<Recorder>["methods"] =>
  ({ operations, purge }, clock) => {
    const gone = new Set<string>();
    return {
      purge: async (request) => {
        const all = await allOperations(operations);
        const over = all.find((each) => !gone.has(each.id) && isOver(each, clock, all));
        if (over !== undefined) gone.add(over.id);
        return over === undefined ? purge(request) : 1;
      },
      operations: overriding(operations, {
        list: async (request) => (await operations.list(request)).filter(({ id }) => !gone.has(id)),
      }),
    };
  };

const isOverSince = (operation: Operation, retentionMs: number, clock: ManualClock): boolean =>
  operation.settledAt !== undefined && operation.settledAt + retentionMs <= clock.now();

/** Back ends that keep what they should purge, or purge what they should keep. */
export const retainingSubmissions = named<Recorder>({
  "counts the retention from the creation": caughtBy(
    ["purge.from-the-end"],
    alsoPurging(
      ({ createdAt, settledAt, retentionMs }, clock) =>
        settledAt !== undefined && createdAt + retentionMs <= clock.now() && settledAt === clock.now(),
    ),
  ),
  "purges in order of creation, not of expiry": caughtBy(
    ["purge.overdue"],
    alsoPurging((operation, clock) => isOverSince(operation, operation.retentionMs, clock)),
  ),
  "keeps failed operations as long as completed ones": caughtBy(
    ["purge.every-end", "purge.expired", "purge.redriven-own"],
    storing((store) => ({
      create: ({ failedRetentionMs: _, ...operation }, initial) => store.create(operation, initial),
    })),
  ),
  "keeps failed follow-ups as long as completed ones": caughtBy(
    ["purge.follow-up"],
    alsoPurging(
      (operation, clock) => operation.hidden === true && isOverSince(operation, operation.retentionMs, clock),
    ),
  ),
  "creates a purged follow-up again when the end is repeated": caughtBy(
    ["purge.follow-up"],
    storing((store) => ({
      settle: async (lease, settlement) => {
        const result = await store.settle(lease, settlement);
        const [ended] = await store.getMany([lease.operationId]);
        if (ended?.onEnd !== undefined)
          await store.create({ ...ended.onEnd, tenant: ended.tenant, hidden: true });
        return result;
      },
    })),
  ),
  "counts purged operations": caughtBy(["purge.stats"], ({ operations, purge }) => {
    let purged = 0;
    return {
      purge: async (request) => {
        const count = await purge(request);
        purged += count;
        return count;
      },
      operations: overriding(operations, {
        stats: async (request) =>
          (await operations.stats(request)).map(({ failed, ...rest }) => ({
            ...rest,
            failed: { ...failed, count: failed.count + purged },
          })),
      }),
    };
  }),
  "does not keep operations for their successors": caughtBy(
    ["purge.chain", "purge.redriven", "jump.redriven"],
    alsoPurging(
      (operation, clock) =>
        operation.retriedBy !== undefined &&
        isOverSince(operation, operation.failedRetentionMs ?? operation.retentionMs, clock),
    ),
  ),
  "purges redriven operations as soon as their successors are gone": caughtBy(
    ["purge.redriven-own"],
    alsoPurging(
      ({ retriedBy }, _, all) => retriedBy !== undefined && all.every(({ id }) => id !== retriedBy),
    ),
  ),
});
