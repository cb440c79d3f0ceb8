import { transactionalBackend } from "../support/transactional-backend.js";
import { noting } from "./changed-calls.js";
import type { PlantedStore } from "./planted-stores.js";

type Mistakes = NonNullable<Parameters<typeof transactionalBackend>[1]>;

/** Back ends whose transactions do not commit writes, settlements and submissions together. */
export const plantedTransactions: Readonly<Record<string, PlantedStore>> = {
  "a transaction commits although its settlement is lost": planted(
    /I10: work \d+ was written once, but its transaction was rolled back/,
    ({ rollBack }) => ({
      rollBack: async (tx, written, reason) => {
        if (reason === "lost") written.push(...tx.effects);
        await rollBack(tx, written, reason);
      },
    }),
  ),

  "a transaction commits although its function throws": planted(/I10: .* was written once/, () => ({
    rollBack: async (tx, written, reason) => {
      if (reason === "thrown") written.push(...tx.effects);
    },
  })),

  "a commit loses the writes of the user": planted(/I10: .* was written 0 times/, ({ commit }) => ({
    commit: (tx) => commit(tx, []),
  })),

  "a commit writes the effects twice": planted(/I10: .* was written 2 times/, ({ commit }) => ({
    commit: async (tx, written) => {
      await commit(tx, written);
      written.push(...tx.effects);
    },
  })),

  "a settlement in a transaction is not guarded by its token": planted(
    /I6: .* was settled with a stale token/,
    ({ settle }, { operations }) => {
      const current = new Map<string, string>();
      Object.assign(
        operations,
        noting(operations, ({ id }, token) => void current.set(id, token)),
      );
      return {
        settle: ({ operationId, token }, settlement) =>
          settle({ operationId, token: current.get(operationId) ?? token }, settlement),
      };
    },
  ),

  "an attempt that has ended its operation settles it again in a transaction": planted(
    /I10: .* had ended before a transaction of its attempt committed/,
    (_, { operations }) => ({ settle: (lease, settlement) => operations.settle(lease, settlement) }),
  ),

  "a submission in a transaction is recorded before the commit": planted(
    /I10: .* exists, but its transaction was rolled back|I2: .* was promised but never created/,
    ({ record }, { submissions }) => ({
      record: async (tx, submission, resource) => {
        if (resource === undefined) await submissions.record(submission);
        else await record(tx, submission, resource);
      },
    }),
  ),

  "a submission in a transaction is never recorded": planted(
    /I1: key .* belongs to .* and to|I2: .* was not found before it expired/,
    () => ({ record: async () => {} }),
  ),
};

function planted(violation: RegExp, mistakes: Mistakes): PlantedStore {
  return { create: (clock) => transactionalBackend(clock, mistakes), violation };
}
