import { setTimeout as sleep } from "node:timers/promises";
import { type Order, type Processor, permanentFailure } from "async-request-reply";

/** What a completed order shows as its `result`. */
export interface Shipment {
  readonly shipped: true;
  readonly itemId: string;
  readonly quantity: number;
}

const FLAKY_FAILURES = 2;

/**
 * Simulates the work on an order by waiting. An `itemId` that begins with `fail` fails for good, one that begins with
 * `flaky` fails twice and then succeeds.
 */
export function createShipping({ workMs }: { readonly workMs: number }): Processor<Order, Shipment> {
  return async ({ itemId, quantity }, { attempt, signal }) => {
    // Without the signal a stopping worker, or one that lost its lease, would go on for nobody.
    await sleep(workMs, undefined, { signal });
    if (itemId.startsWith("fail")) throw permanentFailure(`The item ${itemId} is out of stock.`);
    if (itemId.startsWith("flaky") && attempt <= FLAKY_FAILURES)
      throw new Error(`The carrier did not answer at attempt ${attempt}.`);
    return { shipped: true, itemId, quantity };
  };
}
