import type { CreateBackend } from "async-request-reply/testing";
import { transactionalBackend } from "./transactional-backend.js";

type Mistakes = NonNullable<Parameters<typeof transactionalBackend>[1]>;

/** A mistake, as a back end that makes it, and what the simulator must say about it. */
interface PlantedTransaction {
  readonly create: CreateBackend;
  readonly violation: RegExp;
}

/** Back ends that do not keep together what users write and what they settle or submit. */
export const plantedTransactions: Readonly<Record<string, PlantedTransaction>> = {
  "a transaction whose settlement is lost commits": planted(
    /I10: work \d+ was written 1 times, and its transaction has rolled back/,
    ({ rollBack }) => ({
      rollBack: async (tx, written, reason) => {
        if (reason === "lost") written.push(...tx.effects);
        await rollBack(tx, written, reason);
      },
    }),
  ),

  "a transaction that throws commits": planted(/I10: .* was written 1 times/, () => ({
    rollBack: async (tx, written, reason) => {
      if (reason === "thrown") written.push(...tx.effects);
    },
  })),

  "a commit loses what the user wrote": planted(/I10: .* was written 0 times/, ({ commit }) => ({
    commit: (tx) => commit(tx, []),
  })),

  "a commit is done twice": planted(/I10: .* was written 2 times/, ({ commit }) => ({
    commit: async (tx, written) => {
      await commit(tx, written);
      written.push(...tx.effects);
    },
  })),

  "a settlement in a transaction is not guarded by its token": planted(
    /I6: .* was settled by a stale token/,
    ({ settle }, { operations }) => {
      const current = new Map<string, string>();
      const beginAttempt = operations.beginAttempt.bind(operations);
      operations.beginAttempt = async (id, lease) => {
        const result = await beginAttempt(id, lease);
        if (result.outcome === "begun") current.set(id, lease.token);
        return result;
      };
      return {
        settle: ({ operationId, token }, settlement) =>
          settle({ operationId, token: current.get(operationId) ?? token }, settlement),
      };
    },
  ),

  "an attempt that has ended its operation settles it in a transaction": planted(
    /I10: .* had ended before a transaction of its attempt committed/,
    (_, { operations }) => ({ settle: (lease, settlement) => operations.settle(lease, settlement) }),
  ),

  "what is submitted in a transaction is recorded before it commits": planted(
    /I10: .* is there, and its transaction has rolled back|I2: .* was promised and never created/,
    ({ record }, { submissions }) => ({
      record: async (tx, submission, resource) => {
        if (resource === undefined) await submissions?.record(submission);
        else await record(tx, submission, resource);
      },
    }),
  ),

  "what is submitted in a transaction is not recorded": planted(
    /I1: key .* stands for .* and for|I2: .* is gone before its time/,
    () => ({ record: async () => {} }),
  ),
};

function planted(violation: RegExp, mistakes: Mistakes): PlantedTransaction {
  return { create: (clock) => transactionalBackend(clock, mistakes), violation };
}
