import { keptMs } from "../../../contract/operation.js";
import { WEBHOOK_DELIVERY } from "../../../ports/webhooks.js";
import type { WebhookEvent } from "../../../webhooks/event.js";
import { type Entries, type Entry, stateOf } from "./entry.js";

/** Answer of a receiver to a webhook. One that is down gets nothing, and a slow one answers too late. */
export type ReceiverAnswer = "accepts" | "fails" | "is down" | "is slow" | "is gone" | "redirects";

/** Longest delays after each attempt, as documented. An order is not kept long enough for a later one. */
const LONGEST_DELAYS_MS: readonly number[] = [5_000, 300_000, 1_800_000].map((ms) => ms * 1.2);

/**
 * Checks that webhooks announce ends that have happened, each under one id, and that they are delivered unless the
 * receiver finally refused or no attempt was left (I17). The delivery of an end is its follow-up, see {@link FollowUps}.
 */
export class Webhooks {
  readonly #entries: Entries;
  /** First body of each webhook, by its id. */
  readonly #bodies = new Map<string, string>();
  /** Ids of the webhooks that a receiver has accepted in time. */
  readonly #accepted = new Set<string>();
  /** Ids of the webhooks that a receiver has refused for good. */
  readonly #refused = new Set<string>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Records that a receiver got a webhook, and its answer. */
  received(id: string, body: string, answer: ReceiverAnswer): void {
    if (answer === "accepts") this.#accepted.add(id);
    if (answer === "is gone" || answer === "redirects") this.#refused.add(id);
    const announced = this.#entries.parentOf(id);
    if (announced?.recorded.onEnd?.definition === WEBHOOK_DELIVERY) this.#checkBody(id, body, announced);
    else this.#violated(`webhook ${id} does not belong to the end of any operation`);
    const first = this.#bodies.get(id) ?? body;
    if (first !== body) this.#violated(`webhook ${id} had the body ${first}, and now has ${body}`);
    this.#bodies.set(id, first);
  }

  #checkBody(id: string, body: string, announced: Entry): void {
    const { operationId, status } = (JSON.parse(body) as WebhookEvent).data;
    if (announced.id !== operationId)
      this.#violated(`webhook ${id} announces ${operationId} instead of ${announced.id}`);
    if (!announced.contents.mayBe(({ state }) => state === status))
      this.#violated(`webhook ${id} says ${status}, but ${announced.id} is ${stateOf(announced)}`);
  }

  /** Records that an attempt of an operation was settled. Only deliveries that have ended are checked. */
  settled(entry: Entry): void {
    if (entry.recorded.definition !== WEBHOOK_DELIVERY || entry.cancelRequested) return;
    const { id } = this.#first(entry);
    const announced = this.#entries.parentOf(id);
    const state = stateOf(entry);
    const isAsked = announced?.recorded.definition === "orders";
    if (state === "completed" && isAsked && !this.#accepted.has(id))
      this.#violated(`delivery ${entry.id} completed, but no receiver accepted webhook ${id}`);
    if (
      state === "failed" &&
      announced !== undefined &&
      !this.#refused.has(id) &&
      this.#hasTime(entry, announced)
    )
      this.#violated(`delivery ${entry.id} failed, although an attempt was left`);
  }

  /** Returns the delivery that an operator ran again, or the same one. The receiver knows both by the id of the first. */
  #first(entry: Entry): Entry {
    const { retryOf } = entry.recorded;
    const earlier = retryOf === undefined ? undefined : this.#entries.get(retryOf);
    return earlier === undefined ? entry : this.#first(earlier);
  }

  /** Returns whether another attempt would begin while the operation is kept, however the jitter falls. */
  #hasTime({ attempt }: Entry, { settledAt, endedAt = 0, recorded, contents }: Entry): boolean {
    const delayMs = LONGEST_DELAYS_MS[attempt - 1];
    const { state } = contents.current;
    const remainingMs = (settledAt ?? endedAt) + keptMs({ ...recorded, state }) - this.#entries.now();
    return delayMs !== undefined && delayMs <= remainingMs;
  }

  #violated(what: string): void {
    this.#entries.violated("I17", what);
  }
}
