import type { NewOperation } from "../contract/operation.js";
import type { Backend } from "../ports/backend.js";
import type { Observer } from "../ports/observer.js";
import type { Bell } from "./bell.js";

const BATCH = 500;
const MAX_BATCHES = 20;

export interface SweepOptions {
  readonly backend: Backend;
  /** Names of the definitions that the worker runs. */
  readonly definitions: readonly string[];
  readonly bell: Pick<Bell, "ring">;
  /** Whether operations can have output or checkpoints. */
  readonly hasOutput: boolean;
  /** Returns how long operations of a definition are kept after their end. */
  readonly retentionOf: (
    definition: string,
  ) => Required<Pick<NewOperation, "retentionMs" | "failedRetentionMs">>;
  /** Age at which a binding without an operation counts as abandoned. Milliseconds. */
  readonly abandonAfterMs: number;
  readonly observe: Observer;
}

/** Each process folds the minutes and deletes the actions of all, so they can wait longer than the rest. Numbers of cleanings. */
const FOLD_EVERY = 5;
const PURGE_ACTIONS_EVERY = 60;

/** The two parts of a sweep. They never reject. */
export interface Sweep {
  /** Ends overdue operations. */
  endOverdue(): Promise<void>;
  /**
   * Ends abandoned submissions, deletes operations whose retention is over, output that was discarded and old actions, and adds up
   * minutes. Resolves to whether it deleted operations, or could not.
   */
  clean(): Promise<boolean>;
}

/**
 * Creates the sweep. Every worker runs it, and the stores give each row to only one of them. Each step runs even if another one
 * fails.
 */
export function createSweep(options: SweepOptions): Sweep {
  const { observe } = options;
  const attempted = async (step: string, part: () => Promise<number>): Promise<number | undefined> => {
    try {
      return await inBatches(part);
    } catch (error) {
      observe({ event: "background.failed", step, error });
      return undefined;
    }
  };
  let cleanings = 0;
  return {
    endOverdue: async () => void (await attempted("end-overdue", () => endOverdue(options))),
    clean: async () => {
      await attempted("end-abandoned", () => endAbandoned(options));
      const count = await attempted("purge", () => options.backend.submissions.purge({ limit: BATCH }));
      if (count) observe({ event: "operation.purged", count });
      const { output, minutes, actions } = options.backend;
      if (options.hasOutput && output !== undefined)
        await attempted("clean-output", () => output.clean({ limit: BATCH }));
      if (minutes !== undefined && cleanings % FOLD_EVERY === 0)
        await attempted("fold-minutes", () => minutes.fold({ limit: BATCH }));
      if (actions !== undefined && cleanings % PURGE_ACTIONS_EVERY === 0)
        await attempted("purge-actions", () => actions.purge({ limit: BATCH }));
      cleanings += 1;
      return count !== 0;
    },
  };
}

/** Repeats a step while its batches are full. Stops after {@link MAX_BATCHES}, so a sweep always ends. */
async function inBatches(step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await step();
    total += count;
    if (count < BATCH) break;
  }
  return total;
}

async function endOverdue({ backend, definitions, bell, observe }: SweepOptions): Promise<number> {
  const ended = await backend.operations.endOverdue({ limit: BATCH });
  for (const { id: operationId, ...about } of ended)
    observe({ event: "operation.expired", operationId, ...about });
  // They may have held up their lanes, and their ends may have follow-ups of any definition.
  if (ended.length > 0)
    for (const definition of new Set([...definitions, ...ended.map((each) => each.definition)]))
      void bell.ring({ definition });
  return ended.length;
}

async function endAbandoned({
  backend,
  abandonAfterMs,
  retentionOf,
  observe,
}: SweepOptions): Promise<number> {
  const request = { olderThanMs: abandonAfterMs, limit: BATCH, retentionOf };
  const { looked, ended } = (await backend.submissions.endAbandoned?.(request)) ?? { looked: 0, ended: [] };
  for (const { operationId, definition, tenant } of ended)
    observe({ event: "operation.abandoned", operationId, definition, tenant });
  return looked;
}
