import { isTerminal } from "../contract/operation.js";
import type {
  BegunOperation,
  Claimed,
  ClaimedDefinition,
  ClaimRequest,
  DueOperation,
} from "../ports/claim.js";
import { selectByTurns } from "./by-turns.js";
import { begin, type Entry, isDue } from "./entry.js";
import { freePlaces, hasPlace } from "./places.js";
import type { ClaimSearches, ClaimTable, Search } from "./table.js";
import type { Turns } from "./turns.js";

/** A claim puts off or ends at most so many operations. Those that wait for their lane are found once only. */
const MAX_ASIDE = 256;

/** Everything that a claim needs besides its request. */
export interface ClaimContext<Found extends Entry, Named> {
  readonly table: ClaimTable<Found, Named>;
  /** The tenants that had the last turns. */
  readonly turns: Turns;
  /** Whether it may end operations. If not, and there are any to end, the result is `again`. */
  readonly mayEnd: boolean;
}

/** Does what `OperationStore.claim` promises, within one atomic step. */
export function claim<Found extends Entry, Named>(
  context: ClaimContext<Found, Named>,
  request: ClaimRequest,
): Claimed {
  if (request.repeated === true) return repeat(context.table, request);
  const made = new Claim(context, request);
  return request.operationId === undefined ? made.make() : made.makeOne(request.operationId);
}

/**
 * Returns the answer of a claim that can begin nothing, or `undefined` if it may begin something. Writes nothing.
 */
export function claimNothing<Found extends Entry, Named>(
  table: ClaimSearches<Found, Named>,
  { definitions }: ClaimRequest,
): Claimed | undefined {
  const mayBegin = definitions.some((definition) => {
    const search = searchOf(definition, table.now(), definition.suspects > 0);
    const paused = table.isPaused(definition.name);
    return (
      table.lost({ ...search, paused }, 1).length > 0 || (!paused && table.waiting(search, 1).length > 0)
    );
  });
  return mayBegin ? undefined : { begun: [], ended: [], again: false, ...outlook(table, definitions) };
}

function repeat<Found extends Entry, Named>(
  table: ClaimTable<Found, Named>,
  { definitions, token }: ClaimRequest,
): Claimed {
  const begun = definitions.flatMap((definition) =>
    table.held(definition.name, token).flatMap((entry) => {
      const result = table.apply(entry, (now) => begin(entry, now, { ...definition, token }));
      return typeof result === "object" ? [result] : [];
    }),
  );
  return { begun, ended: [], again: true, blocked: false };
}

class Claim<Found extends Entry, Named> {
  readonly #context: ClaimContext<Found, Named>;
  readonly #request: ClaimRequest;
  readonly #begun: BegunOperation[] = [];
  readonly #ended: DueOperation[] = [];
  /** Slots and suspects that are left, by definition. */
  readonly #slots: Map<string, number>;
  readonly #suspects: Map<string, number>;
  /** How many more operations may be put off or ended. */
  #aside = MAX_ASIDE;
  #again = false;

  constructor(context: ClaimContext<Found, Named>, request: ClaimRequest) {
    this.#context = context;
    this.#request = request;
    this.#slots = new Map(request.definitions.map(({ name, slots }) => [name, slots]));
    this.#suspects = new Map(request.definitions.map(({ name, suspects }) => [name, suspects]));
  }

  make(): Claimed {
    const { definitions } = this.#request;
    // Each definition gets a share, and unused shares go to the others, so that a long backlog delays no other.
    for (let more = true; more && this.#free > 0 && this.#aside > 0; ) {
      more = false;
      const quota = Math.max(1, Math.floor(this.#free / Math.max(1, definitions.length)));
      for (const definition of definitions) if (this.#take(definition, quota)) more = true;
    }
    const left = definitions.filter(({ name }) => this.#left(name) > 0);
    const own = { begun: this.#begun, ended: this.#ended, again: this.#again || this.#aside <= 0 };
    return { ...own, ...(this.#free > 0 ? outlook(this.#context.table, left) : { blocked: false }) };
  }

  /** Does the same for one operation. */
  makeOne(id: string): Claimed {
    const { table } = this.#context;
    const entry = table.find(id);
    for (const definition of this.#request.definitions)
      if (entry !== undefined && mayBegin(entry, definition, table)) this.#begin(entry, definition);
    return { begun: this.#begun, ended: this.#ended, again: this.#again, ...outlookOf(entry, table.now()) };
  }

  get #free(): number {
    return this.#request.limit - this.#begun.length;
  }

  #left(definition: string): number {
    return this.#slots.get(definition) ?? 0;
  }

  /** Takes up to `quota` operations of a definition. Returns whether another look may find more. */
  #take(definition: ClaimedDefinition, quota: number): boolean {
    const limit = Math.min(quota, this.#free, this.#left(definition.name));
    if (limit <= 0) return false;
    const begunBefore = this.#begun.length;
    const asideBefore = this.#aside;
    const { entries, more } = this.#candidates(definition, limit);
    for (const entry of entries) this.#begin(entry, definition);
    const isFull = more || entries.length >= quota;
    return (this.#begun.length > begunBefore && isFull) || this.#aside < asideBefore;
  }

  /** Returns candidates, those that lost their lease first, and whether more is due. */
  #candidates(
    definition: ClaimedDefinition,
    limit: number,
  ): { readonly entries: readonly Found[]; readonly more: boolean } {
    const { name, limits } = definition;
    const { table, turns } = this.#context;
    const search = searchOf(definition, table.now(), (this.#suspects.get(name) ?? 0) > 0);
    const paused = table.isPaused(name);
    const lost = table.lost({ ...search, paused }, limit);
    const places = paused || limits === undefined ? undefined : freePlaces(table, name, limits);
    const left = paused ? 0 : Math.min(limit - lost.length, places?.free ?? limit);
    if (left <= 0) return { entries: lost, more: lost.length === limit };
    // Only if more is due than there are slots, it matters whose turn it is.
    const more = table.hasMoreDue(search, left);
    const wanted = { ...search, limit: left };
    if (places !== undefined && limits?.runningPerTenant !== undefined) {
      // The order of time would pass the whole backlog of a tenant without a place.
      const chosen = selectByTurns(table, turns, { ...wanted, freeFor: places.freeFor });
      this.#again ||= !chosen.complete;
      return { entries: [...lost, ...chosen.entries], more };
    }
    const chosen = more ? selectByTurns(table, turns, wanted).entries : [];
    // The tenants that had the turn may have had no due work.
    return { entries: [...lost, ...(chosen.length > 0 ? chosen : table.waiting(search, left))], more };
  }

  #begin(entry: Found, definition: ClaimedDefinition): void {
    const { name, limits } = definition;
    const { table, mayEnd } = this.#context;
    const { token } = this.#request;
    // An entry with a token has lost its lease.
    const isSuspect = entry.previousLost || entry.token !== undefined;
    const suspects = this.#suspects.get(name) ?? 0;
    if (entry.operation.cancelRequested === true) {
      if (!mayEnd) this.#again = true;
      if (!mayEnd) return;
    } else if (isSuspect && suspects <= 0) return;
    const isFree = (): boolean => hasPlace(table, entry, limits);
    const result = table.apply(entry, (now) => begin(entry, now, { ...definition, token }, isFree));
    if (typeof result === "object") {
      this.#begun.push(result);
      this.#slots.set(name, this.#left(name) - 1);
      if (isSuspect) this.#suspects.set(name, suspects - 1);
    } else if (result === "ended") {
      this.#ended.push({ id: entry.operation.id, definition: name });
      this.#aside -= 1;
    } else if (entry.operation.lane !== undefined) this.#aside -= 1;
  }
}

function searchOf({ name, creates = true }: ClaimedDefinition, now: number, suspects: boolean): Search {
  return { definition: name, now, creates, suspects };
}

/** Returns whether claims of a definition may begin an entry once it is due and has a place. */
function mayBegin<Found extends Entry, Named>(
  { operation: { definition, state, cancelRequested = false } }: Found,
  { name, creates = true }: ClaimedDefinition,
  table: ClaimSearches<Found, Named>,
): boolean {
  if (definition !== name || isTerminal(state)) return false;
  return state === "preparing" ? creates : cancelRequested || !table.isPaused(name);
}

/** Returns whether an entry is due and could not begin, or when it becomes due. */
function outlookOf(entry: Entry | undefined, now: number): Pick<Claimed, "blocked" | "nextInMs"> {
  if (entry === undefined || isTerminal(entry.operation.state)) return { blocked: false };
  const { token, dueAt } = entry;
  return token === undefined && now < dueAt
    ? { blocked: false, nextInMs: dueAt - now }
    : { blocked: isDue(entry, now) };
}

/** Returns what is due and could not begin, and what becomes due. */
function outlook<Found extends Entry, Named>(
  table: ClaimSearches<Found, Named>,
  definitions: readonly ClaimedDefinition[],
): Pick<Claimed, "blocked" | "nextInMs"> {
  const now = table.now();
  let blocked = false;
  let nextAt = Number.POSITIVE_INFINITY;
  for (const definition of definitions) {
    const search = searchOf(definition, now, true);
    blocked ||=
      table.waiting(search, 1).length > 0 ||
      table.lost({ ...search, paused: false }, 1).length > 0 ||
      (definition.lanes === true && table.hasBehind(definition.name));
    if (!table.isPaused(definition.name)) nextAt = Math.min(nextAt, table.nextDueAt(search) ?? nextAt);
  }
  return nextAt === Number.POSITIVE_INFINITY ? { blocked } : { blocked, nextInMs: nextAt - now };
}
