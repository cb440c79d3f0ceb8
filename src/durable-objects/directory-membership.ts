import { AsyncReplyError } from "../contract/errors.js";
import { present } from "../contract/options.js";
import { withinTime } from "../platform/waits.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";
import type { DirectoryCalls, SharedPause } from "./directory/calls.js";
import type { Membership } from "./membership.js";
import type { Caller } from "./object-calls.js";
import { type ObjectName, parseNameText } from "./object-name.js";
import { type ObjectNumber, withObjectNumber } from "./object-number.js";
import { readContents } from "./object-report.js";
import type { AlarmStorage } from "./platform.js";

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
/** After a failure, an object at rest wakes up for its report no earlier: each time costs. Milliseconds. */
const WAKE_UP_MS = 600_000;
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
  /** The number in the storage. */
  #kept: ObjectNumber | undefined;
  /** Whether the tenant may have got another number of objects, because this one was empty. */
  #hasLeft = false;
  /** Whether the object is empty, and the directory did not allow it operations when it was asked. */
  #isRefused = false;
  /** Number of objects of the tenant, if the directory knows another one. */
  #otherShards: number | undefined;
  /** Number of reports of this object, as the directory counted them. */
  #reports = 0;
  /** When the next report may be sent. Milliseconds of the clock. */
  #nextAt = Number.NEGATIVE_INFINITY;
  /** When an object at rest may wake up for it. */
  #wakeUpAt = Number.NEGATIVE_INFINITY;
  #hasChanged = false;
  #reporting: Promise<void> | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#name = options.name;
    options.operations.watch?.(() => this.changed());
  }

  get values(): number {
    return this.#kept === undefined ? 0 : 1;
  }

  async load(): Promise<void> {
    const kept = (await this.#options.storage.get(KEY)) as KeptNumber | undefined;
    this.#kept = kept?.number;
    this.#number = kept?.number;
    this.#name ??= kept?.name;
    this.#hasLeft = this.#isEmpty();
    await this.ensureNumber();
  }

  checkShards(): void {
    if (this.#isRefused && this.#otherShards !== undefined) throw this.#refusal();
  }

  numbered(id: string): string {
    const [number, name] = [this.#number, this.#name];
    if (number === undefined || name === undefined || this.#isRefused) {
      // Operations that are submitted in process ask nothing before.
      void this.ensureNumber();
      throw this.#refusal();
    }
    if (this.#kept !== number) {
      this.#kept = number;
      const kept: KeptNumber = { number, name };
      // Part of the same turn as the operation.
      void this.#options.storage.put(KEY, kept);
    }
    return withObjectNumber(id, number);
  }

  async ensureNumber(): Promise<void> {
    if (this.#number === undefined || this.#hasLeft || this.#isRefused) await this.refresh();
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
    return clock.now() + Math.max(0, this.#nextAt - clock.elapsed(), this.#wakeUpAt - clock.elapsed());
  }

  async leave(): Promise<boolean> {
    const { directory, clock, report } = this.#options;
    await this.#reporting;
    const [name, reports] = [this.#name, this.#reports];
    if (name === undefined) return true;
    this.#hasLeft = true;
    // The next request reports at once.
    this.#nextAt = Number.NEGATIVE_INFINITY;
    this.#hasChanged = false;
    try {
      const leaving = directory("leave", { name, reports });
      const isForgotten = await withinTime(leaving, PATIENCE_MS, clock, tooLate);
      const hasReported = !this.#hasLeft || this.#reporting !== undefined;
      this.#hasChanged ||= !isForgotten || hasReported;
      return isForgotten && !hasReported;
    } catch (error) {
      this.#reportLater();
      report(error);
      return false;
    }
  }

  deleted(): void {
    this.#kept = undefined;
  }

  async #report(): Promise<void> {
    const { directory, clock, isEmpty, report } = this.#options;
    this.#nextAt = clock.elapsed() + REPORT_INTERVAL_MS;
    this.#hasChanged = false;
    try {
      if (this.#name === undefined) throw noName();
      const name = parseNameText(this.#name);
      const number = present({ number: this.#number });
      const sending = directory("report", { ...name, ...number, ...(await readContents(this.#options)) });
      const answer = await withinTime(sending, PATIENCE_MS, clock, tooLate);
      this.#otherShards = "fixedShards" in answer ? answer.fixedShards : undefined;
      if ("fixedShards" in answer) throw this.#refusal();
      this.#reports = answer.reports;
      this.#number ??= answer.number;
      this.#hasLeft = false;
      this.#isRefused = false;
      this.#wakeUpAt = Number.NEGATIVE_INFINITY;
      // The report of the first operation does not wait.
      if (isEmpty()) this.#nextAt = Number.NEGATIVE_INFINITY;
      await this.#apply(answer.pauses);
    } catch (error) {
      this.#reportLater();
      this.#nextAt = clock.elapsed() + RETRY_MS;
      this.#isRefused = this.#isEmpty();
      report(error);
    }
  }

  /** Returns whether the object is known to be empty. */
  #isEmpty(): boolean {
    try {
      return this.#options.isEmpty();
    } catch {
      // The call that needs the database reports its error.
      return false;
    }
  }

  #reportLater(): void {
    this.#hasChanged = true;
    this.#wakeUpAt = this.#options.clock.elapsed() + WAKE_UP_MS;
  }

  /** Returns the error for operations that the object must not accept. */
  #refusal(): AsyncReplyError {
    const shards = this.#otherShards;
    return new AsyncReplyError("STORE_UNAVAILABLE", "The operations of this tenant cannot be reached yet.", {
      eventDetail:
        shards === undefined
          ? "The directory has given the object no number yet. It is asked again with the next request."
          : fixedShards(parseNameText(this.#name ?? ""), shards),
      retryAfterSeconds: RETRY_MS / 1_000,
    });
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

function fixedShards({ shards }: ObjectName, fixed: number): string {
  return (
    `The tenant has operations in ${fixed} objects, and \`shards\` is ${shards} now. With another number, repeated keys would be ` +
    `accepted again. Return ${fixed} for this tenant until its operations have expired.`
  );
}
