import { isTerminal, type JsonText, type Settlement } from "../../../contract/operation.js";
import type { Lease } from "../../../ports/operation-store.js";
import type {
  AppendResult,
  OutputAppend,
  OutputRequest,
  OutputSlice,
  OutputState,
} from "../../../ports/output-store.js";
import { type Entries, type Entry, isUncertain, silentEnd, stateOf } from "./entry.js";
import type { Places } from "./places.js";
import {
  discarded,
  grown,
  isSame,
  isSliceOf,
  isStateOf,
  notePlaces,
  type Places as OutputPlaces,
  type Saved,
  type Standing,
} from "./standing.js";

/** One version of an output. */
interface Version {
  /** More than one if a call failed and it is unknown whether it changed something. */
  alternatives: readonly Standing[];
  /** Moment when the next version replaced this one. */
  replacedAt: number;
}

interface Output {
  readonly versions: Version[];
  readonly places: OutputPlaces;
}

/**
 * Checks that everything that stores and readers have of an output is what stands, byte for byte: what attempts have appended,
 * without what the begin of a later one discarded (I28). An output closes with its operation, and then has all that its last
 * attempt wrote.
 */
export class Outputs {
  /** Called with the id of an operation whose output grows. */
  readonly watchers: Set<(id: string) => void> = new Set();
  readonly #entries: Entries;
  readonly #slots: Places;
  /** Whether orders have output. */
  readonly #isKept: boolean;
  readonly #byId = new Map<string, Output>();
  #moment = 0;

  constructor(entries: Entries, places: Places, isKept: boolean) {
    this.#entries = entries;
    this.#slots = places;
    this.#isKept = isKept;
  }

  /** Number of changes so far. A reader can hold any version since the moment of its request. */
  get moment(): number {
    return this.#moment;
  }

  /** Returns whether an operation has output. */
  has({ recorded }: Entry): boolean {
    return this.#isKept && recorded.definition === "orders";
  }

  /** Returns the number of attempts before the last one that set a checkpoint. Attempts count from there. */
  attemptsBefore(id: string): number {
    const attempts = this.#now(id).map(({ checkpoint }) => checkpoint?.attempt ?? 1);
    return Math.max(...attempts) - 1;
  }

  /** Checks and records the answer to an append. */
  appended(append: OutputAppend, result: AppendResult): void {
    const { operationId: id, token } = append.lease;
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const change = (standing: Standing): Standing | undefined => grown(standing, append, entry.attempt);
    if (result === "lost") {
      if (this.#holdsForSure(entry, token) && this.#now(id).every(change))
        this.#violated(`${id} did not grow although the token of its attempt is current`);
      return;
    }
    if (entry.token !== token) this.#violated(`${id} grew with a stale token`);
    if (isTerminal(stateOf(entry))) this.#violated(`${id} grew after it had ended`);
    const after = this.#now(id).flatMap((standing) => change(standing) ?? []);
    if (after.length === 0) this.#violated(`${id} grew by chunks that do not follow those that stand`);
    else this.#become(id, after);
    for (const watcher of this.watchers) watcher(id);
  }

  /** Records that an append failed, so it is unknown whether it happened. */
  mayHaveAppended(append: OutputAppend): void {
    const { operationId: id, token } = append.lease;
    const entry = this.#entries.get(id);
    if (entry?.token !== token) return;
    const before = this.#now(id);
    const after = before.flatMap((standing) => grown(standing, append, entry.attempt) ?? []);
    this.#become(id, [...before, ...after]);
  }

  /** Records that another attempt has begun. */
  begun(id: string): void {
    const before = this.#now(id);
    if (before.every(({ chunks }) => chunks.length === 0)) return;
    this.#become(id, before.map(discarded));
    for (const watcher of this.#entries.watchers) watcher(id);
  }

  /** Checks what a store says to an attempt that begins. */
  stands({ operationId: id, token }: Lease, state: OutputState | "lost"): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (state !== "lost")
      this.#narrow(
        id,
        (standing) => isStateOf(standing, state),
        () => `an attempt of ${id} began with ${text(state)}`,
      );
    else if (this.#holdsForSure(entry, token))
      this.#violated(`an attempt of ${id} was lost although its token is current`);
  }

  /** Checks what a store returned to a reader. */
  read(request: Pick<OutputRequest, "id" | "after">, slice: OutputSlice | undefined): void {
    const { id } = request;
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (slice === undefined) {
      if (!this.#entries.mayBeGone(entry)) this.#violated(`${id} was not found before it expired`);
      return;
    }
    this.#checkState(entry, slice);
    const { places } = this.#of(id);
    const found = this.#narrow(
      id,
      (standing) => isSliceOf(standing, request, slice, places),
      () => `${id} was read after ${text(request.after)} as ${text(slice)}`,
    );
    if (found !== undefined) notePlaces(found, slice, places);
  }

  #checkState(entry: Entry, { state }: OutputSlice): void {
    const silent = silentEnd(entry, this.#entries.now());
    const isPossible = entry.contents.mayBe(
      (content) => content.state === state || silent?.(content)?.state === state,
    );
    if (!isPossible) this.#violated(`${entry.id} was read as ${state}, but is ${stateOf(entry)}`);
  }

  /** Checks that an operation that an attempt completes has all the chunks that its result counts. */
  settled(entry: Entry, settlement: Settlement): void {
    if (settlement.to !== "completed" || settlement.result === undefined) return;
    const { chunks: written } = JSON.parse(settlement.result) as Partial<Saved>;
    // It may have ended before, with another result.
    if (written === undefined || isUncertain(entry) || isTerminal(stateOf(entry))) return;
    this.#narrow(
      entry.id,
      ({ chunks }) => chunks.length === written,
      () => `${entry.id} completed although its processor has written ${written} chunks`,
    );
  }

  /** Checks what a reader holds after an answer to a request of this moment. */
  held(id: string, moment: number, held: readonly JsonText[], isClosed: boolean): void {
    const possible = this.#of(id)
      .versions.filter(({ replacedAt }) => replacedAt > moment)
      .flatMap(({ alternatives }) => alternatives);
    const isHeld = ({ chunks }: Standing): boolean =>
      isSame(held, isClosed ? chunks : chunks.slice(0, held.length));
    if (!possible.some(isHeld)) this.#violated(`a reader holds ${held} of ${id}, expected ${text(possible)}`);
  }

  /** Returns whether an attempt has an operation for certain. */
  #holdsForSure(entry: Entry, token: string): boolean {
    const isKnown = !entry.isVague && !isUncertain(entry) && !this.#slots.mayBeTaken(entry);
    return isKnown && entry.token === token && !isTerminal(stateOf(entry)) && !this.#entries.mayBeGone(entry);
  }

  /** Keeps the alternatives that meet a condition, and returns the first. It is a violation if none does. */
  #narrow(
    id: string,
    condition: (standing: Standing) => boolean,
    describe: () => string,
  ): Standing | undefined {
    const before = this.#now(id);
    const left = before.filter(condition);
    if (left.length === 0) this.#violated(`${describe()}, but ${text(before)} stands`);
    else if (left.length < before.length) this.#become(id, left);
    return left[0];
  }

  #of(id: string): Output {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const first: Version = { alternatives: [{ chunks: [] }], replacedAt: Number.POSITIVE_INFINITY };
    const output = { versions: [first], places: new Map() };
    this.#byId.set(id, output);
    return output;
  }

  #now(id: string): readonly Standing[] {
    return this.#of(id).versions.at(-1)?.alternatives ?? [];
  }

  #become(id: string, alternatives: readonly Standing[]): void {
    const { versions } = this.#of(id);
    const last = versions.at(-1);
    if (last !== undefined) last.replacedAt = ++this.#moment;
    versions.push({ alternatives, replacedAt: Number.POSITIVE_INFINITY });
  }

  #violated(what: string): void {
    this.#entries.violated("I28", what);
  }
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? "the beginning";
}
