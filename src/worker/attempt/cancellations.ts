import type { OperationStore } from "../../ports/operation-store.js";
import type { KeptLease } from "../../protocol/keep-lease.js";
import { Links } from "../links.js";

/**
 * The running attempts of a worker, which learn at once that their cancellation is requested. A notification is only a
 * hint: it makes the attempt renew its lease, and the store then says whether there is a request.
 */
export class Cancellations {
  readonly #running = new Links<{ readonly operationId: string; readonly lease: KeptLease }>();

  /** Adds a running attempt. Returns a function that removes it. */
  add(operationId: string, lease: KeptLease): () => void {
    return this.#running.add({ operationId, lease });
  }

  /** Watches a store, if it notifies of cancellations. Returns a function that stops this. */
  watch(operations: OperationStore): (() => void) | undefined {
    return operations.watchCancellations?.((cancelled) => {
      for (const { operationId, lease } of this.#running.all())
        if (cancelled === undefined || cancelled === operationId) lease.renew();
    });
  }
}
