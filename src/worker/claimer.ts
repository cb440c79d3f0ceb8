import { attemptToken } from "../contract/attempt-token.js";
import type { Claimed, ClaimedDefinition } from "../ports/claim.js";
import type { WorkerContext } from "./context.js";

/** Claims work for the free slots of a worker. */
export interface Claimer {
  /**
   * Claims work for these free slots, by definition, at most `limit` in total. If the answer to the last call was lost, returns
   * the attempts of that one. Make one call at a time.
   */
  claim(free: ReadonlyMap<string, number>, limit: number): Promise<ClaimedUnder>;
}

/** Result of a claim, with the token of its leases. */
interface ClaimedUnder extends Claimed {
  readonly token: string;
}

/** Creates a claimer. */
export function createClaimer(context: WorkerContext): Claimer {
  const { processors, runtime, process, suspects, backend, minutes } = context;
  /** Token of a claim whose answer was lost. */
  let unanswered: string | undefined;
  let turn = 0;

  function request(name: string, slots: number): ClaimedDefinition[] {
    const processor = processors.get(name);
    if (processor === undefined) return [];
    const { create, definition, settings } = processor;
    return [
      {
        name,
        slots,
        leaseMs: settings.leaseMs,
        creates: create !== undefined,
        limits: definition.limits,
        lanes: definition.serialBy !== undefined,
        suspects: suspects.mayBegin(name) ? 1 : 0,
      },
    ];
  }

  return {
    claim: async (free, limit) => {
      const repeated = unanswered !== undefined;
      // The attempts of a lost answer already have their slots.
      const slots: ReadonlyMap<string, number> = repeated
        ? new Map([...processors.keys()].map((name) => [name, 1]))
        : free;
      // The definitions take turns at being first, so each of them gets work even if only one slot is free.
      const definitions = rotated([...slots], turn++).flatMap(([name, count]) => request(name, count));
      const token =
        unanswered ??
        attemptToken({ startedAt: runtime.clock.now(), process: process() }, runtime.newToken());
      unanswered = token;
      const claimed = await backend.operations.claim({ token, definitions, limit, repeated });
      unanswered = undefined;
      minutes?.cancelled(claimed.ended);
      return { ...claimed, token };
    },
  };
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = by % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
