import { AsyncReplyError } from "../contract/errors.js";
import { present } from "../contract/present.js";
import { withinTime } from "../platform/waits.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";
import type { DirectoryCalls, ObjectReport, SharedPause } from "./directory/calls.js";
import type { Caller } from "./object-calls.js";
import { type ObjectName, parseNameText } from "./object-name.js";
import { type ObjectNumber, withObjectNumber } from "./object-number.js";
import type { AlarmStorage } from "./platform.js";

/** The place of an object in a directory. */
export interface Membership {
  /** Whether pauses come from the directory, so that those of the object are copies. */
  readonly sharesPauses: boolean;
  /** Number of values that it keeps in the storage. */
  readonly values: number;
  /** Reads the number of the object, or asks for one. Never rejects. */
  load(): Promise<void>;
  /** Makes the object part of an operation id. Throws `STORE_UNAVAILABLE` if the object has no number yet. */
  numbered(id: string): string;
  /** Asks for a number if the object has none. Never rejects. */
  ensureNumber(): Promise<void>;
  /** Sends a report and applies the pauses, unless it did within the last minute. Never rejects. */
  refresh(): Promise<void>;
  /** Remembers that the next report differs from the last one. */
  changed(): void;
  /** Returns when the next report is due, because something has changed. Epoch milliseconds, or infinity. */
  owedAt(): number;
  /** Tells the directory that everything in the storage is deleted when the promise resolves. Never rejects. */
  leave(deleted: Promise<void>): Promise<void>;
}

/** That of an object without a directory. */
export const NO_DIRECTORY: Membership = {
  sharesPauses: false,
  values: 0,
  load: async () => {},
  numbered: (id) => id,
  ensureNumber: async () => {},
  refresh: async () => {},
  changed: () => {},
  owedAt: () => Number.POSITIVE_INFINITY,
  leave: (deleted) => deleted,
};

/** Dependencies of {@link DirectoryMembership}. */
export interface MembershipOptions {
  /** Name of the object. Older versions of the platform do not tell it. */
  readonly name: string | undefined;
  readonly storage: Pick<AlarmStorage, "get" | "put">;
  readonly directory: Caller<DirectoryCalls>;
  /** The store of the object. */
  readonly operations: Pick<OperationStore, "stats" | "list" | "pause" | "resume" | "watch">;
  /** Returns whether the store has nothing, not even tables. */
  readonly isEmpty: () => boolean;
  /** Names of its definitions. */
  readonly definitions: readonly string[];
  readonly clock: Clock;
  /** Called when the end of a pause lets work begin. */
  readonly onResume: () => void;
  readonly report: (error: unknown) => void;
}

/** The value that an object with operations keeps in its storage. */
interface KeptNumber {
  readonly number: ObjectNumber;
  readonly name: string;
}

/** Its key. */
const KEY = "async-request-reply";
const REPORT_INTERVAL_MS = 60_000;
/** After a failure, the directory is called again no earlier. Milliseconds. */
const RETRY_MS = 5_000;
/** The directory delays work no longer. Milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Tells the directory what the object has, and learns from it the number of the object, and which definitions are paused. Without the
 * directory, an object that has a number works on with the pauses that it knows.
 */
export class DirectoryMembership implements Membership {
  readonly sharesPauses = true;
  readonly #options: MembershipOptions;
  #name: string | undefined;
  #number: ObjectNumber | undefined;
  #isKept = false;
  /** Number of reports of this object, as the directory counted them. */
  #reports = 0;
  /** When the next report may be sent. Milliseconds of the clock. */
  #nextAt = Number.NEGATIVE_INFINITY;
  #hasChanged = false;
  #reporting: Promise<void> | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#name = options.name;
    options.operations.watch?.(() => this.changed());
  }

  get values(): number {
    return this.#isKept ? 1 : 0;
  }

  async load(): Promise<void> {
    const kept = (await this.#options.storage.get(KEY)) as KeptNumber | undefined;
    this.#isKept = kept !== undefined;
    this.#number = kept?.number;
    this.#name ??= kept?.name;
    await this.ensureNumber();
  }

  numbered(id: string): string {
    const [number, name] = [this.#number, this.#name];
    if (number === undefined || name === undefined)
      throw new AsyncReplyError("STORE_UNAVAILABLE", "The operations of this tenant cannot be reached yet.", {
        eventDetail:
          "The directory has given the object no number yet. It is asked again with the next request.",
        retryAfterSeconds: RETRY_MS / 1_000,
      });
    if (!this.#isKept) {
      this.#isKept = true;
      const kept: KeptNumber = { number, name };
      // Part of the same turn as the operation.
      void this.#options.storage.put(KEY, kept);
    }
    return withObjectNumber(id, number);
  }

  async ensureNumber(): Promise<void> {
    if (this.#number === undefined) await this.refresh();
  }

  refresh(): Promise<void> {
    if (this.#options.clock.elapsed() < this.#nextAt) return this.#reporting ?? Promise.resolve();
    this.#reporting ??= this.#report().finally(() => {
      this.#reporting = undefined;
    });
    return this.#reporting;
  }

  changed(): void {
    this.#hasChanged = true;
  }

  owedAt(): number {
    const { clock } = this.#options;
    if (!this.#hasChanged) return Number.POSITIVE_INFINITY;
    return clock.now() + Math.max(0, this.#nextAt - clock.elapsed());
  }

  async leave(deleted: Promise<void>): Promise<void> {
    const { directory, report } = this.#options;
    const [name, reports] = [this.#name, this.#reports];
    this.#isKept = false;
    // A number that is still used is reported again at once.
    this.#nextAt = Number.NEGATIVE_INFINITY;
    this.#hasChanged = false;
    await deleted;
    if (name !== undefined) await directory("leave", { name, reports }).catch(report);
  }

  async #report(): Promise<void> {
    const { directory, clock, isEmpty, report } = this.#options;
    this.#nextAt = clock.elapsed() + REPORT_INTERVAL_MS;
    this.#hasChanged = false;
    try {
      if (this.#name === undefined) throw noName();
      const name = parseNameText(this.#name);
      const sending = directory("report", { ...name, ...(await this.#read()) });
      const answer = await withinTime(sending, PATIENCE_MS, clock, tooLate);
      if ("fixedShards" in answer) throw fixedShards(name, answer.fixedShards);
      this.#reports = answer.reports;
      this.#number ??= answer.number;
      // The report of the first operation does not wait.
      if (isEmpty()) this.#nextAt = Number.NEGATIVE_INFINITY;
      await this.#apply(answer.pauses);
    } catch (error) {
      this.#hasChanged = true;
      this.#nextAt = clock.elapsed() + RETRY_MS;
      report(error);
    }
  }

  async #read(): Promise<Omit<ObjectReport, keyof ObjectName>> {
    const { operations, definitions, clock, isEmpty } = this.#options;
    const number = present({ number: this.#number });
    if (isEmpty()) return { ...number, counts: [] };
    const [stats, [newest], [newestFailed]] = await Promise.all([
      operations.stats({ definitions }),
      operations.list({ internal: true, limit: 1 }),
      operations.list({ state: "failed", internal: true, limit: 1 }),
    ]);
    return {
      ...number,
      ...present({ newestAt: newest?.createdAt, newestFailedAt: newestFailed?.createdAt }),
      counts: stats.map(({ definition, due, running, scheduled, failed, oldestDueMs }) => ({
        definition,
        due: due.count,
        running: running.count,
        scheduled: scheduled.count,
        failed: failed.count,
        ...present({ dueSince: oldestDueMs === undefined ? undefined : clock.now() - oldestDueMs }),
      })),
    };
  }

  async #apply(pauses: readonly SharedPause[]): Promise<void> {
    const { operations, definitions, isEmpty, onResume } = this.#options;
    const shared = new Map(pauses.map(({ definition, by }) => [definition, by]));
    if (shared.size === 0 && isEmpty()) return;
    let resumes = false;
    for (const { definition, paused } of await operations.stats({ definitions })) {
      if (shared.has(definition)) {
        if (paused === undefined) await operations.pause(definition, shared.get(definition));
      } else if (paused !== undefined) {
        await operations.resume(definition);
        resumes = true;
      }
    }
    if (resumes) onResume();
  }
}

function noName(): AsyncReplyError {
  return new AsyncReplyError(
    "STORE_UNAVAILABLE",
    "The platform does not tell the name of the object. Raise the compatibility date.",
  );
}

function tooLate(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", `The directory did not answer within ${PATIENCE_MS} ms.`);
}

function fixedShards({ shards }: ObjectName, fixed: number): AsyncReplyError {
  return new AsyncReplyError(
    "STORE_UNAVAILABLE",
    `The tenant has operations in ${fixed} objects, and \`shards\` is ${shards} now. With another number, repeated keys would be ` +
      `accepted again. Return ${fixed} for this tenant until its operations have expired.`,
  );
}
