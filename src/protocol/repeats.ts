import type { Announced } from "../ports/announcement.js";
import type { Runtime } from "../ports/runtime.js";

/** Announcements that the queue refused or did not confirm. */
export interface Repeats {
  /** Keeps operations until the queue accepts their announcements. */
  add(operations: readonly Announced[]): void;
  /** Drops everything. The sweep announces the operations later. */
  close(): void;
}

export interface RepeatsOptions {
  /** Publishes a batch. Resolves to whether the queue accepted it. Never rejects. */
  readonly publish: (operations: readonly Announced[]) => Promise<boolean>;
  readonly maxBatch: number;
  readonly maxWaiting: number;
  readonly runtime: Pick<Runtime, "clock" | "random">;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5_000;
/** Time without a new failure after which a process that was never closed may end. Milliseconds. */
const GIVE_UP_MS = 300_000;

/**
 * Creates the repetition of failed announcements. It tries one batch, with growing pauses, until the queue accepts it,
 * and then publishes the others. Beyond the limit, it drops the oldest announcements.
 */
export function createRepeats({ publish, maxBatch, maxWaiting, runtime }: RepeatsOptions): Repeats {
  const { clock, random } = runtime;
  const waiting = new Map<string, Announced>();
  let cancel: (() => void) | undefined;
  let running = false;
  let closed = false;
  let failures = 0;
  let giveUpAt = 0;

  function schedule(): void {
    if (closed || running || cancel !== undefined || waiting.size === 0) return;
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
    // Processes that lost the same broker do not come back at the same moment.
    cancel = clock.schedule(Math.ceil(delayMs * (0.5 + random() / 2)), () => void repeat());
  }

  async function repeat(): Promise<void> {
    cancel = undefined;
    running = true;
    while (waiting.size > 0 && (await repeatBatch()));
    running = false;
    schedule();
  }

  async function repeatBatch(): Promise<boolean> {
    const batch = nextBatch();
    if (await publish(batch)) {
      failures = 0;
      for (const { id } of batch) waiting.delete(id);
      return true;
    }
    failures += 1;
    if (clock.elapsed() >= giveUpAt) waiting.clear();
    else postpone(batch[0]?.definition);
    return false;
  }

  /** Returns the oldest announcements of one definition, because a broker can refuse the queue of a single one. */
  function nextBatch(): readonly Announced[] {
    const [first] = waiting.values();
    const same = [...waiting.values()].filter(({ definition }) => definition === first?.definition);
    return same.slice(0, maxBatch);
  }

  /** Lets the other definitions go first next time. */
  function postpone(refused: string | undefined): void {
    for (const operation of [...waiting.values()].filter(({ definition }) => definition === refused)) {
      waiting.delete(operation.id);
      waiting.set(operation.id, operation);
    }
  }

  return {
    add: (operations) => {
      if (closed) return;
      giveUpAt = clock.elapsed() + GIVE_UP_MS;
      // Without the other members of an operation, such as its input.
      for (const { id, definition, meta } of operations) waiting.set(id, { id, definition, meta });
      for (const id of waiting.keys()) {
        if (waiting.size <= maxWaiting) break;
        waiting.delete(id);
      }
      schedule();
    },
    close: () => {
      closed = true;
      cancel?.();
      waiting.clear();
    },
  };
}
