import { AsyncReplyError } from "../contract/errors.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";
import { withinTime } from "../protocol/within-time.js";

/** Methods of a store that an operator uses. */
export type OperatorStore = Pick<OperationStore, "requestCancel"> & Required<Pick<OperationStore, Optional>>;

/** Methods that a store may lack. */
type Optional = "getMany" | "list" | "stats" | "redrive";

const ANSWER_TIMEOUT_MS = 30_000;

/**
 * Wraps a store so that each call waits at most 30 s for its answer. A method that the store lacks rejects with
 * `NOT_SUPPORTED` when it is called, because the other methods are useful without it.
 */
export function createOperatorStore(operations: OperationStore, clock: Clock): OperatorStore {
  async function answerOf<T>(method: string, call: Promise<T> | undefined): Promise<T> {
    if (call === undefined) throw notSupported(method);
    return withinTime(call, ANSWER_TIMEOUT_MS, clock, tookTooLong);
  }
  return {
    getMany: (ids) => answerOf("getMany", operations.getMany?.(ids)),
    list: (request) => answerOf("list", operations.list?.(request)),
    stats: (request) => answerOf("stats", operations.stats?.(request)),
    redrive: (id, successor) => answerOf("redrive", operations.redrive?.(id, successor)),
    requestCancel: (id, tenant) => answerOf("requestCancel", operations.requestCancel(id, tenant)),
  };
}

function notSupported(method: string): AsyncReplyError {
  return new AsyncReplyError(
    "NOT_SUPPORTED",
    `The operation store of this back end has no method \`${method}\`. Use the stores of the Postgres or the memory back ` +
      "end, or add the method to your own store: see OperationStore in the reference.",
  );
}

function tookTooLong(): AsyncReplyError {
  const detail = `The store did not answer within ${ANSWER_TIMEOUT_MS} ms. Check the store and try again.`;
  return new AsyncReplyError("STORE_UNAVAILABLE", detail);
}
