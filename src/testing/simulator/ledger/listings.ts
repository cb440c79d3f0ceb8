import { isTerminal } from "../../../contract/operation.js";
import type { ListedOperation, ListRequest } from "../../../ports/operation-store.js";
import { cancelling } from "./contents.js";
import { type Entries, type Entry, endsWhenBegun, isHidden, stateOf } from "./entry.js";
import type { Redrives } from "./redrives.js";

/** Checks that lists return what was recorded and settled (I8), and that no ended operation is missing (I2). */
export class Listings {
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

  #listed(request: ListRequest, operation: ListedOperation): void {
    const { id, state, error } = operation;
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    // A receipt can end the operation by beginning it, and does not report that.
    if (endsWhenBegun(entry, this.#entries.now())) entry.contents.mayChange(cancelling);
    const isKnown = entry.contents.mayBe((content) => content.state === state && content.error === error);
    if (!isKnown) this.#entries.violated("I8", `${id} was listed as ${state} with error ${error}`);
    for (const member of ["tenant", "definition", "retentionMs", "retryOf"] as const)
      if (entry.recorded[member] !== operation[member])
        this.#entries.violated("I8", `${id} was listed with ${member} ${operation[member]}`);
    if (!isAskedFor(request, entry) || (request.state ?? state) !== state)
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

function isAskedFor({ tenant, definition, internal = false }: ListRequest, entry: Entry): boolean {
  return (
    (internal || !isHidden(entry)) &&
    (tenant === undefined || entry.tenant === tenant) &&
    (definition === undefined || entry.recorded.definition === definition)
  );
}
