import { isTerminal } from "../../../contract/operation.js";
import type { ListedOperation, ListRequest } from "../../../ports/operation-reads.js";
import { type Entries, type Entry, isHidden, silentEnd, stateOf } from "./entry.js";
import type { Redrives } from "./redrives.js";

/** Checks that lists return what was recorded and settled (I8), and that no ended operation is missing (I2). */
export class Listings {
  /** Number of lists that were read page by page. */
  pagesRead = 0;
  readonly #entries: Entries;
  readonly #redrives: Redrives;

  constructor(entries: Entries, redrives: Redrives) {
    this.#entries = entries;
    this.#redrives = redrives;
  }

  /** Checks a page that a store returned. */
  read(request: ListRequest, page: readonly ListedOperation[]): void {
    for (const operation of page) this.#listed(request, operation);
    if (request.after !== undefined || page.length >= request.limit) return;
    const listed = new Set(page.map(({ id }) => id));
    for (const { id } of this.#entries.where((entry) => this.#mustBeIn(request, entry)))
      if (!listed.has(id)) this.#entries.violated("I2", `${id} is missing from a list`);
  }

  /** Checks all pages of a list, which a store returned while no call was under way. The last one may be larger. */
  readPages(request: ListRequest, pages: readonly (readonly ListedOperation[])[]): void {
    this.pagesRead += 1;
    const all = pages.flat();
    for (const operation of all) this.#listed(request, operation);
    if (pages.slice(0, -2).some(({ length }) => length < request.limit))
      this.#entries.violated("I8", "a page of a list was not full although another one followed");
    if (pages.some(({ length }, index) => length > request.limit && index < pages.length - 1))
      this.#entries.violated("I8", `a page of a list has more than ${request.limit} operations`);
    const unsorted = all.find((operation, index) => !isAfter(operation, all[index - 1]));
    if (unsorted !== undefined)
      this.#entries.violated("I8", `${unsorted.id} was repeated in a list, or listed too late`);
    const listed = new Set(all.map(({ id }) => id));
    for (const entry of this.#entries.where((each) => this.#isListed(request, each)))
      if (!listed.has(entry.id))
        this.#entries.violated("I2", `${entry.id} is missing from the pages of a list`);
  }

  /** Returns whether an operation must be in a list that is read while no call is under way. */
  #isListed(request: ListRequest, entry: Entry): boolean {
    const state = stateOf(entry);
    return (
      !entry.contents.isUncertain &&
      (request.state ?? state) === state &&
      (request.internal === true || state !== "preparing") &&
      isAskedFor(request, entry) &&
      !this.#entries.mayBeGone(entry)
    );
  }

  #listed(request: ListRequest, operation: ListedOperation): void {
    const { id, state, error } = operation;
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    // A claim can end the operation, and does not report that.
    const silent = silentEnd(entry, this.#entries.now());
    if (silent !== undefined && state === "failed") entry.contents.mayChange(silent);
    const isKnown = entry.contents.mayBe((content) => content.state === state && content.error === error);
    if (!isKnown) this.#entries.violated("I8", `${id} was listed as ${state} with error ${error}`);
    for (const member of [
      "tenant",
      "definition",
      "principal",
      "retentionMs",
      "failedRetentionMs",
      "startWithinMs",
      "retryOf",
    ] as const)
      if (entry.recorded[member] !== operation[member])
        this.#entries.violated("I8", `${id} was listed with ${member} ${operation[member]}`);
    const isShown = request.internal === true || state !== "preparing";
    if (!isShown || !isAskedFor(request, entry) || (request.state ?? state) !== state)
      this.#entries.violated("I8", `${id} was listed but does not match the request`);
    this.#redrives.read(entry, operation);
  }

  #mustBeIn(request: ListRequest, entry: Entry): boolean {
    const state = stateOf(entry);
    return (
      isTerminal(state) &&
      !entry.contents.isUncertain &&
      (request.state ?? state) === state &&
      isAskedFor(request, entry) &&
      !this.#entries.mayBeGone(entry)
    );
  }
}

function isAfter(operation: ListedOperation, before: ListedOperation | undefined): boolean {
  if (before === undefined || operation.createdAt < before.createdAt) return true;
  return operation.createdAt === before.createdAt && operation.id < before.id;
}

function isAskedFor({ tenant, definition, internal = false }: ListRequest, entry: Entry): boolean {
  return (
    (internal || !isHidden(entry)) &&
    (tenant === undefined || entry.tenant === tenant) &&
    (definition === undefined || entry.recorded.definition === definition)
  );
}
