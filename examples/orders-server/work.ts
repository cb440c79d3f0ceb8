import { setTimeout as sleep } from "node:timers/promises";
import { type Order, type Processor, permanentFailure } from "async-request-reply";

/** The `result` of a completed order. */
export interface Shipment {
  readonly shipped: true;
  readonly itemId: string;
  readonly quantity: number;
}

const FLAKY_FAILURES = 2;

/**
 * Simulates the work on an order by waiting. If the `itemId` begins with `fail`, the order fails permanently. If it
 * begins with `flaky`, the first two attempts fail and the third one succeeds.
 */
export function createShipping({ workMs }: { readonly workMs: number }): Processor<Order, Shipment> {
  return async ({ itemId, quantity }, { attempt, signal }) => {
    // Without the signal, the work would continue after the worker has stopped or lost the lease.
    await sleep(workMs, undefined, { signal });
    if (itemId.startsWith("fail")) throw permanentFailure(`The item ${itemId} is out of stock.`);
    if (itemId.startsWith("flaky") && attempt <= FLAKY_FAILURES)
      throw new Error(`The carrier did not answer at attempt ${attempt}.`);
    return { shipped: true, itemId, quantity };
  };
}
