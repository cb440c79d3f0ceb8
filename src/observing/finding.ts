import { AsyncReplyError } from "../contract/errors.js";
import type { Operation } from "../contract/operation.js";
import { withinTime } from "../platform/waits.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";

/** Operations that are counted once the store has them. */
export interface Finding {
  /** Passes each of these operations to `count`, at most once. Returns for how many of them there is no room. */
  add(ids: readonly string[], count: (operation: Operation) => void): number;
  /** Looks for all of them. Returns whether some are still to be found. Rejects if the store does. */
  look(): Promise<boolean>;
  /** Gives up all of them. */
  giveUp(): void;
}

/** Time after which an operation is given up, because its transaction was probably rolled back. Milliseconds. */
const FIND_WITHIN_MS = 60_000;
/** Operations come with their payloads. */
const BATCH = 50;
/** Without a limit, a store that is down would fill the memory. */
const MAX_SOUGHT = 10_000;
/** Time limit of a read. Milliseconds. */
const READ_MS = 10_000;

interface Sought {
  readonly count: (operation: Operation) => void;
  /** By the clock's `elapsed`. */
  readonly until: number;
}

/** Creates a list of operations to find. */
export function createFinding(operations: Pick<OperationStore, "getMany">, clock: Clock): Finding {
  const sought = new Map<string, Sought>();

  async function lookFor(ids: readonly string[]): Promise<void> {
    for (const operation of await withinTime(operations.getMany(ids), READ_MS, clock, tookTooLong)) {
      const { id } = operation;
      sought.get(id)?.count(operation);
      sought.delete(id);
    }
  }

  return {
    add: (ids, count) => {
      const until = clock.elapsed() + FIND_WITHIN_MS;
      const added = ids.slice(0, MAX_SOUGHT - sought.size);
      for (const id of added) sought.set(id, { count, until });
      return ids.length - added.length;
    },
    look: async () => {
      const now = clock.elapsed();
      const ids = [...sought.keys()];
      try {
        for (let first = 0; first < ids.length; first += BATCH)
          await lookFor(ids.slice(first, first + BATCH));
      } finally {
        for (const [id, { until }] of sought) if (until <= now) sought.delete(id);
      }
      return sought.size > 0;
    },
    giveUp: () => sought.clear(),
  };
}

function tookTooLong(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The store did not find the operations to count in time.");
}
