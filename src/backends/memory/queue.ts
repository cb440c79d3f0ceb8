import type { Announcement } from "../../core/announcement.js";
import { AsyncReplyError } from "../../core/errors.js";
import type { Delivery, Queue, ReceiveRequest } from "../../ports/queue.js";
import type { Clock } from "../../ports/runtime.js";
import { Fifo } from "./fifo.js";

const NACK_DELAY_MS = 1_000;

export interface MemoryQueueOptions {
  readonly clock: Clock;
  /** What does not fit is refused, and left to the sweep. */
  readonly maxAnnouncements: number;
}

/** Carries announcements within this process, definition by definition in order. */
export class MemoryQueue implements Queue {
  readonly #clock: Clock;
  readonly #maxAnnouncements: number;
  readonly #lines = new Map<string, Fifo<Announcement>>();
  readonly #waiting = new Set<() => void>();
  #size = 0;

  constructor(options: MemoryQueueOptions) {
    this.#clock = options.clock;
    this.#maxAnnouncements = options.maxAnnouncements;
  }

  async publish(announcements: readonly Announcement[]): Promise<void> {
    if (this.#size + announcements.length > this.#maxAnnouncements) {
      throw new AsyncReplyError("QUEUE_UNAVAILABLE", "The queue is full.");
    }
    for (const announcement of announcements) this.#push(announcement);
    for (const wake of this.#waiting) wake();
  }

  async receive({ definitions, limit, signal }: ReceiveRequest): Promise<readonly Delivery[]> {
    for (;;) {
      const taken = this.#take(definitions, limit);
      if (taken.length > 0 || signal.aborted)
        return taken.map((announcement) => this.#toDelivery(announcement));
      await this.#somethingNew(signal);
    }
  }

  #push(announcement: Announcement): void {
    const line = this.#lines.get(announcement.definition) ?? new Fifo<Announcement>();
    this.#lines.set(announcement.definition, line);
    line.push(announcement);
    this.#size += 1;
  }

  /** Takes one from each definition in turn, so that a long line of one does not hold up the others. */
  #take(definitions: readonly string[], limit: number): Announcement[] {
    const taken: Announcement[] = [];
    const lines = definitions
      .map((definition) => this.#lines.get(definition))
      .filter((line) => line !== undefined);
    for (let before = -1; taken.length < limit && taken.length > before; ) {
      before = taken.length;
      for (const line of lines) {
        const next = taken.length < limit ? line.shift() : undefined;
        if (next !== undefined) taken.push(next);
      }
    }
    this.#size -= taken.length;
    return taken;
  }

  #toDelivery(announcement: Announcement): Delivery {
    return {
      announcement,
      ack: async () => {},
      nack: async () => {
        this.#clock.schedule(NACK_DELAY_MS, () => void this.publish([announcement]).catch(() => {}));
      },
    };
  }

  #somethingNew(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
  }
}
