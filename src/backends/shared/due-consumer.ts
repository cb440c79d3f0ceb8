import type {
  BegunAttempt,
  ConsumedDefinition,
  Consumer,
  Delivery,
  ReceiveRequest,
} from "../../ports/queue.js";
import { createRecentTokens } from "../../ports/recent-tokens.js";
import type { Waiter } from "./waiters.js";

/** A definition with the number of its free slots. */
export interface FreeDefinition extends ConsumedDefinition {
  readonly slots: number;
  /** Whether one operation may begin whose last attempt was lost. */
  readonly suspects: boolean;
}

/** A due operation that was received. */
export interface Received {
  readonly operationId: string;
  readonly definition: string;
  /** The attempt that receiving has begun. Absent if beginning the operation would end it. */
  readonly begun?: BegunAttempt["begun"];
}

/** Result of a look. */
export interface Looked {
  readonly received: readonly Received[];
  /** Whether the look ended before it had looked at everything, so that another one may find more. Default: false. */
  readonly again?: boolean;
}

/** One look for due operations, and how to wait for the next one. */
export interface DueSource {
  /**
   * Begins due operations of these definitions. With `repeated`, returns those that an earlier call began with the same
   * token.
   */
  look(definitions: readonly FreeDefinition[], request: ReceiveRequest, repeated: boolean): Promise<Looked>;
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
    // The definitions take turns at being first, so each of them gets work even if only one slot is free.
    const free = withSlots(rotated(definitions, turn++), request);
    const { received, again = false } = await source.look(free, request, repeated);
    return { deliveries: received.map((each) => toDelivery(each, request.token)), again };
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
): readonly FreeDefinition[] {
  return definitions.flatMap((definition) => {
    const { name } = definition;
    const free = slots.get(name) ?? 0;
    return free > 0 ? [{ ...definition, slots: free, suspects: suspects?.has(name) ?? true }] : [];
  });
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = by % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

function toDelivery({ operationId, definition, begun }: Received, token: string): Delivery {
  const announcement = { version: 1, id: `${operationId}.${token}`, operationId, definition } as const;
  const delivery = { announcement, ack: done, nack: done };
  return begun === undefined ? delivery : { ...delivery, attempt: { lease: { operationId, token }, begun } };
}

async function done(): Promise<void> {}
