import type { BegunOperation, Claimed, ClaimedDefinition, ClaimRequest } from "../../ports/claim.js";
import type { ConsumedDefinition, Consumer, Delivery, ReceiveRequest } from "../../ports/queue.js";
import { createRecentTokens } from "../../ports/recent-tokens.js";
import type { Waiter } from "./waiters.js";

/** Claims of due operations, and how to wait for the next one. */
export interface DueSource {
  /** Claims. With `isLast`, the caller does not come back for what the claim has missed. */
  claim(request: ClaimRequest, isLast: boolean): Promise<Claimed>;
  /** Registers a wait for due work of definitions. */
  expect(definitions: readonly string[]): Waiter;
}

/** Maximum number of looks one after the other that find nothing. */
const MAX_IN_A_ROW = 64;

/**
 * Creates a consumer that receives due operations from a store. Its deliveries have begun their attempts. With `waits: false`, each
 * call looks once.
 */
export function createDueConsumer(
  source: DueSource,
  definitions: readonly ConsumedDefinition[],
  { waits }: { readonly waits: boolean },
): Consumer {
  let turn = 0;
  const tokens = createRecentTokens();

  async function look(
    request: ReceiveRequest,
    repeated: boolean,
  ): Promise<{ readonly deliveries: readonly Delivery[]; readonly again: boolean }> {
    const { token, limit, signal } = request;
    // The definitions take turns at being first, so each of them gets work even if only one slot is free.
    const claimed = withSlots(rotated(definitions, turn++), request);
    const { begun, again } = await source.claim(
      { token, definitions: claimed, limit, repeated },
      signal.aborted,
    );
    return { deliveries: begun.map((each) => toDelivery(each, token)), again };
  }

  return {
    receive: async (request) => {
      const { slots, token, signal } = request;
      if (tokens.has(token)) return (await look(request, true)).deliveries;
      tokens.add(token);
      if (!waits) return (await look(request, false)).deliveries;
      let inARow = 0;
      do {
        // Created before the look, so that an announcement between the look and the wait ends the wait.
        const waiter = source.expect([...slots.keys()]);
        try {
          const { deliveries, again } = await look(request, false);
          if (deliveries.length > 0) return deliveries;
          // Bounded, so that work that no consumer can begin costs no more than a share of the time.
          inARow = again ? inARow + 1 : 0;
          if (inARow > 0 && inARow <= MAX_IN_A_ROW) continue;
          inARow = 0;
          await waiter.wait(signal);
        } finally {
          waiter.cancel();
        }
      } while (!signal.aborted);
      return [];
    },
    close: async () => {},
  };
}

function withSlots(
  definitions: readonly ConsumedDefinition[],
  { slots, suspects }: ReceiveRequest,
): readonly ClaimedDefinition[] {
  return definitions.flatMap((definition) => {
    const { name } = definition;
    const free = slots.get(name) ?? 0;
    return free > 0 ? [{ ...definition, slots: free, suspects: (suspects?.has(name) ?? true) ? 1 : 0 }] : [];
  });
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = by % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

function toDelivery({ operation, previousLost }: BegunOperation, token: string): Delivery {
  const { id: operationId, definition } = operation;
  const announcement = { version: 1, id: `${operationId}.${token}`, operationId, definition } as const;
  const begun = { outcome: "begun", operation, previousLost } as const;
  return { announcement, ack: done, nack: done, attempt: { lease: { operationId, token }, begun } };
}

async function done(): Promise<void> {}
