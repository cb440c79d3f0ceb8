import type { BegunAttempt, Delivery } from "../../../ports/queue.js";
import type { Entries } from "./entry.js";

/** Checks that every attempt that a receipt begins reaches one worker (I2, I7). */
export class Receipts {
  readonly #entries: Entries;

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Called before the ledger records that a receipt began an attempt, or returned it again because the first answer was lost. */
  received(receipt: string, { lease: { operationId, token } }: BegunAttempt): void {
    const entry = this.#entries.get(operationId);
    const repeated = entry?.tokens.has(token) === true && entry.token !== token;
    if (repeated || token !== receipt)
      this.#entries.violated("I7", `the same attempt of ${operationId} was received twice`);
  }

  /**
   * Checks that the deliveries that reached a worker include every attempt that the receipt began. Otherwise one is
   * lost.
   */
  delivered(receipt: string, deliveries: readonly Delivery[]): void {
    const delivered = new Set(deliveries.map(({ announcement }) => announcement.operationId));
    const now = this.#entries.now();
    const held = this.#entries.where(({ token, leaseEndsAt }) => token === receipt && leaseEndsAt > now);
    for (const { id } of held)
      if (!delivered.has(id))
        this.#entries.violated("I2", `the worker of an attempt of ${id} never received it`);
  }
}
