import type { Contents } from "../backends/durable-objects/contents.js";
import type { Clock } from "../ports/runtime.js";
import type { Membership } from "./membership.js";
import type { ObjectAlarm } from "./object-alarm.js";
import type { AlarmStorage } from "./platform.js";

/** How long work that was accepted, or a lease that was taken, can be without its process. Milliseconds. */
export const BACKSTOP_MS = 10_000;
/** How long work that is due can be blocked before the object looks again. An event that unblocks it also rings. Milliseconds. */
const BLOCKED_MS = 60_000;
const DAY_MS = 86_400_000;

/** Dependencies of {@link ObjectRest}. */
export interface ObjectRestOptions {
  readonly alarm: ObjectAlarm;
  readonly contents: Contents;
  readonly membership: Membership;
  readonly storage: AlarmStorage;
  /** Names of the definitions whose work is done here. */
  readonly definitions: readonly string[];
  readonly clock: Clock;
  /** Called before everything in the storage is deleted. */
  readonly forget: () => void;
}

/** The rest of an object when nothing runs. It sets the alarm for what is due next, or leaves if it holds nothing any more. */
export class ObjectRest {
  readonly #options: ObjectRestOptions;
  /** Whether the alarm rang since the last rest. Without that, an alarm stays that is too early: to move it costs a row. */
  #hasRung = false;

  constructor(options: ObjectRestOptions) {
    this.#options = options;
  }

  /** Learns that the alarm has rung. */
  rang(): void {
    this.#hasRung = true;
  }

  /**
   * Rests until something is due.
   *
   * @param idle whether nothing that is due now was left
   */
  async begin(idle: boolean): Promise<void> {
    const { alarm, contents, membership, definitions, clock } = this.#options;
    const moves = this.#hasRung;
    this.#hasRung = false;
    if (this.#isEmpty()) return this.#leave();
    const now = clock.now();
    const next = contents.nextAt(definitions);
    const longest = now + (idle ? DAY_MS : BLOCKED_MS);
    const at = Math.min(next > now ? next : now + BACKSTOP_MS, membership.owedAt(), longest);
    if (moves) alarm.set(at);
    else alarm.noLaterThan(at);
  }

  async #leave(): Promise<void> {
    const { alarm, contents, membership, storage, forget, clock } = this.#options;
    // The alarm stays until the directory knows.
    const hasLeft = await membership.leave();
    const own = membership.values;
    const { size: values } = await storage.list({ limit: own + 1 });
    // Work may have come in the meantime, and then an alarm was set.
    if (!this.#isEmpty()) return;
    if (!hasLeft) return alarm.set(Math.max(membership.owedAt(), clock.now() + BACKSTOP_MS));
    alarm.remove();
    if (values > own || contents.hasOthers()) return;
    forget();
    membership.deleted();
    await storage.deleteAll();
  }

  #isEmpty(): boolean {
    const { contents, membership } = this.#options;
    return contents.isEmpty(!membership.sharesPauses);
  }
}
