import { DEFAULT_URGENCY } from "../../contract/operation.js";
import type { Announcement } from "../../ports/announcement.js";
import type { RunningLimits } from "../../ports/claim.js";
import type { Consumer, Delivery, Queue, ReceiveRequest } from "../../ports/queue.js";
import type { Clock } from "../../ports/runtime.js";
import { onAbort } from "../../ports/waits.js";
import { Fifo } from "./collections/fifo.js";
import { getOrAdd } from "./collections/get-or-add.js";
import { Turns } from "./collections/turns.js";
import { queueFull } from "./full.js";
import type { MemoryOperationStore } from "./operation-store.js";
import type { Pauses } from "./pauses.js";

const NACK_DELAY_MS = 1_000;

export interface MemoryQueueOptions {
  readonly clock: Clock;
  /** Maximum number of waiting announcements. Others are refused, and the sweep finds their operations later. */
  readonly maxAnnouncements: number;
  /** Store that may have the operations of the announcements. */
  readonly store: Pick<MemoryOperationStore, "find" | "now" | "places">;
  readonly pauses: Pauses;
}

/** Limits of the definitions that a consumer receives. */
type Limits = ReadonlyMap<string, RunningLimits>;

/**
 * Carries announcements within this process. In each definition, tenants take turns, and more urgent work goes first.
 * Work without a place is not delivered.
 */
export class MemoryQueue implements Queue {
  readonly #clock: Clock;
  readonly #maxAnnouncements: number;
  readonly #store: MemoryQueueOptions["store"];
  readonly #pauses: Pauses;
  readonly #lines = new Map<string, Turns<Announcement>>();
  /** Work that needs no place and that no pause holds back: it ends a cancelled operation, or creates a resource. */
  readonly #ahead = new Map<string, Fifo<Announcement>>();
  readonly #waiting = new Set<() => void>();
  #size = 0;
  /** Whether any operation had a lane. Most programs use no lanes, so nothing looks for them. */
  #hasLanes = false;

  constructor(options: MemoryQueueOptions) {
    this.#clock = options.clock;
    this.#maxAnnouncements = options.maxAnnouncements;
    this.#store = options.store;
    this.#store.places.onFreed.add((next) => {
      if (next?.parked !== undefined) this.#push(next.parked);
      this.#wake();
    });
    this.#pauses = options.pauses;
    this.#pauses.onResume(() => this.#wake());
  }

  async publish(announcements: readonly Announcement[]): Promise<void> {
    if (this.#size + announcements.length > this.#maxAnnouncements) {
      throw queueFull(this.#maxAnnouncements);
    }
    for (const announcement of announcements) this.#push(announcement);
    this.#wake();
  }

  consume({ definitions }: Parameters<Queue["consume"]>[0]): Consumer {
    const limits = new Map(
      definitions.flatMap(({ name, limits: own }) => (own === undefined ? [] : [[name, own] as const])),
    );
    return { receive: (request) => this.#receive(request, limits), close: async () => {} };
  }

  async close(): Promise<void> {}

  async #receive({ slots, limit, signal }: ReceiveRequest, limits: Limits): Promise<readonly Delivery[]> {
    for (;;) {
      const taken = this.#take(slots, limit, limits);
      if (taken.length > 0 || signal.aborted)
        return taken.map((announcement) => this.#toDelivery(announcement, limits));
      await this.#somethingNew(signal);
    }
  }

  #push(announcement: Announcement): void {
    const { definition, operationId } = announcement;
    const entry = this.#store.find(operationId);
    const { tenant = "", urgency = DEFAULT_URGENCY, lane, state, cancelRequested } = entry?.operation ?? {};
    this.#hasLanes ||= lane !== undefined;
    if (state === "preparing" || cancelRequested === true)
      getOrAdd(this.#ahead, definition, () => new Fifo<Announcement>()).push(announcement);
    else
      getOrAdd(this.#lines, definition, () => new Turns<Announcement>()).push(announcement, tenant, urgency);
    if (entry !== undefined) entry.parked = undefined;
    this.#size += 1;
  }

  /** Takes one announcement from each definition in turn, so that a long backlog of one does not delay the others. */
  #take(slots: ReadonlyMap<string, number>, limit: number, limits: Limits): Announcement[] {
    const taken: Announcement[] = [];
    const gates = this.#gatesOf(limits);
    for (let round = 0, before = -1; taken.length > before; round += 1) {
      before = taken.length;
      for (const [definition, free] of slots) {
        if (round >= free || taken.length >= limit) continue;
        const next = this.#nextAhead(definition) ?? this.#next(definition, gates.get(definition));
        if (next !== undefined) taken.push(next);
      }
    }
    return taken;
  }

  #nextAhead(definition: string): Announcement | undefined {
    const next = this.#ahead.get(definition)?.shift();
    if (next !== undefined) this.#size -= 1;
    return next;
  }

  /** Takes the next announcement of a definition whose operation has a place. Nothing has one during a pause. */
  #next(definition: string, gate: Gate | undefined): Announcement | undefined {
    if (this.#pauses.of(definition) !== undefined) return undefined;
    const line = this.#lines.get(definition);
    for (;;) {
      const next = line?.shift(gate?.isOpen);
      if (next === undefined) return undefined;
      this.#size -= 1;
      if (gate === undefined && !this.#hasLanes) return next;
      const entry = this.#store.find(next.operationId);
      const { lane, state, tenant = "" } = entry?.operation ?? {};
      if (entry !== undefined && lane !== undefined && state === "pending") {
        if (!this.#store.places.hasTurn(entry, this.#store.now())) {
          // It is not delivered before its turn, so that a long lane does not delay other work.
          entry.parked = next;
          continue;
        }
      }
      gate?.took(tenant);
      return next;
    }
  }

  #gatesOf(limits: Limits): ReadonlyMap<string, Gate> {
    if (limits.size === 0) return NO_GATES;
    return new Map([...limits].map(([name, own]) => [name, this.#gateOf(name, own)]));
  }

  /** Returns the gate of a definition with limits. It counts what one call takes, because that has not begun yet. */
  #gateOf(definition: string, limits: RunningLimits): Gate {
    const took = new Map<string, number>();
    let total = 0;
    return {
      isOpen: (tenant) => {
        const { free, freeFor } = this.#store.places.free(definition, limits, this.#store.now());
        return free > total && freeFor(tenant) > (took.get(tenant) ?? 0);
      },
      took: (tenant) => {
        total += 1;
        took.set(tenant, (took.get(tenant) ?? 0) + 1);
      },
    };
  }

  #toDelivery(announcement: Announcement, limits: Limits): Delivery {
    return {
      announcement,
      ack: async () => {},
      nack: async () => {
        const again = (): void => void this.publish([announcement]).catch(() => {});
        // Another consumer may have taken the place. Then it waits here for the next one.
        if (this.#waitsForPlace(announcement, limits)) again();
        else this.#clock.schedule(NACK_DELAY_MS, again);
      },
    };
  }

  #waitsForPlace({ operationId, definition }: Announcement, limits: Limits): boolean {
    const entry = this.#store.find(operationId);
    if (entry?.operation.state !== "pending") return false;
    return !this.#store.places.isFree(entry, limits.get(definition), this.#store.now());
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  #somethingNew(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        forget();
        resolve();
      };
      this.#waiting.add(wake);
      const forget = onAbort(signal, wake);
    });
  }
}

const NO_GATES: ReadonlyMap<string, Gate> = new Map();

/** Decides which work of a definition may be delivered. */
interface Gate {
  readonly isOpen: (tenant: string) => boolean;
  /** Called for each announcement that is delivered. */
  readonly took: (tenant: string) => void;
}
