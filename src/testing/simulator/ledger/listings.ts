import { isTerminal } from "../../../contract/operation.js";
import type { ListedOperation, ListRequest } from "../../../ports/operation-store.js";
import { cancelling } from "./contents.js";
import { type Entries, type Entry, endsByBeginning, isHidden, stateOf } from "./entry.js";
import type { Redrives } from "./redrives.js";

/** Compares the lists of stores with what was recorded and settled (I8), and sees that no operation that ended is missing (I2). */
export class Listings {
  readonly #entries: Entries;
  readonly #redrives: Redrives;

  constructor(entries: Entries, redrives: Redrives) {
    this.#entries = entries;
    this.#redrives = redrives;
  }

  /** A store was asked for a list. */
  read(request: ListRequest, page: readonly ListedOperation[]): void {
    for (const operation of page) this.#listed(request, operation);
    if (request.after !== undefined || page.length >= request.limit) return;
    const listed = new Set(page.map(({ id }) => id));
    for (const { id } of this.#entries.where((entry) => this.#mustBeIn(request, entry)))
      if (!listed.has(id)) this.#entries.violated("I2", `${id} is missing from a list`);
  }

  #listed(request: ListRequest, operation: ListedOperation): void {
    const { id, state, error } = operation;
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    // Beginning ends it, and a receipt that begins says nothing about it.
    if (endsByBeginning(entry, this.#entries.now())) entry.contents.mayChange(cancelling);
    const isKnown = entry.contents.mayBe((content) => content.state === state && content.error === error);
    if (!isKnown) this.#entries.violated("I8", `${id} is listed as ${state} with ${error}`);
    for (const member of ["tenant", "definition", "retentionMs", "retryOf"] as const)
      if (entry.recorded[member] !== operation[member])
        this.#entries.violated("I8", `${id} is listed with the ${member} ${operation[member]}`);
    if (!isAskedFor(request, entry) || (request.state ?? state) !== state)
      this.#entries.violated("I8", `${id} is listed and was not asked for`);
    this.#redrives.seen(entry, operation);
  }

  #mustBeIn(request: ListRequest, entry: Entry): boolean {
    const state = stateOf(entry);
    return (
      isTerminal(state) &&
      !entry.contents.isUncertain &&
      (request.state ?? state) === state &&
      isAskedFor(request, entry) &&
      !this.#entries.isOver(entry)
    );
  }
}

function isAskedFor({ tenant, definition, internal = false }: ListRequest, entry: Entry): boolean {
  return (
    (internal || !isHidden(entry)) &&
    (tenant === undefined || entry.tenant === tenant) &&
    (definition === undefined || entry.recorded.definition === definition)
  );
}
