import { AsyncReplyError } from "../../contract/errors.js";
import { DEFAULT_URGENCY, type Operation } from "../../contract/operation.js";
import type { Announcement } from "../../ports/announcement.js";
import type { Consumer, Delivery, Queue, ReceiveRequest } from "../../ports/queue.js";
import type { Clock } from "../../ports/runtime.js";
import { Turns } from "./collections/turns.js";

const NACK_DELAY_MS = 1_000;

export interface MemoryQueueOptions {
  readonly clock: Clock;
  /** Maximum number of waiting announcements. Others are refused, and the sweep finds their operations later. */
  readonly maxAnnouncements: number;
  /** Returns the operation of an announcement, if the store has it. */
  readonly find: (operationId: string) => Pick<Operation, "tenant" | "urgency"> | undefined;
}

/** Carries announcements within this process. In each definition, tenants take turns, and more urgent work goes first. */
export class MemoryQueue implements Queue {
  readonly #clock: Clock;
  readonly #maxAnnouncements: number;
  readonly #find: MemoryQueueOptions["find"];
  readonly #lines = new Map<string, Turns<Announcement>>();
  readonly #waiting = new Set<() => void>();
  #size = 0;

  constructor(options: MemoryQueueOptions) {
    this.#clock = options.clock;
    this.#maxAnnouncements = options.maxAnnouncements;
    this.#find = options.find;
  }

  async publish(announcements: readonly Announcement[]): Promise<void> {
    if (this.#size + announcements.length > this.#maxAnnouncements) {
      throw full(this.#maxAnnouncements);
    }
    for (const announcement of announcements) this.#push(announcement);
    for (const wake of this.#waiting) wake();
  }

  consume(): Consumer {
    return { receive: (request) => this.#receive(request), close: async () => {} };
  }

  async close(): Promise<void> {}

  async #receive({ slots, limit, signal }: ReceiveRequest): Promise<readonly Delivery[]> {
    for (;;) {
      const taken = this.#take(slots, limit);
      if (taken.length > 0 || signal.aborted)
        return taken.map((announcement) => this.#toDelivery(announcement));
      await this.#somethingNew(signal);
    }
  }

  #push(announcement: Announcement): void {
    const line = this.#lines.get(announcement.definition) ?? new Turns<Announcement>();
    this.#lines.set(announcement.definition, line);
    const { tenant = "", urgency = DEFAULT_URGENCY } = this.#find(announcement.operationId) ?? {};
    line.push(announcement, tenant, urgency);
    this.#size += 1;
  }

  /** Takes one announcement from each definition in turn, so that a long backlog of one does not delay the others. */
  #take(slots: ReadonlyMap<string, number>, limit: number): Announcement[] {
    const taken: Announcement[] = [];
    for (let round = 0, before = -1; taken.length > before; round += 1) {
      before = taken.length;
      for (const [definition, free] of slots) {
        if (round >= free || taken.length >= limit) continue;
        const next = this.#lines.get(definition)?.shift();
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

function full(maxAnnouncements: number): AsyncReplyError {
  const eventDetail =
    `The memory back end holds at most \`maxAnnouncements\` announcements (${maxAnnouncements}). The sweep announces the ` +
    "rest later. Add workers, or raise the option.";
  return new AsyncReplyError("QUEUE_UNAVAILABLE", "The queue is full.", { eventDetail });
}
