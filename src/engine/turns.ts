/** Remembers which tenant had the last turn, by definition and urgency. */
export class Turns {
  readonly #last = new Map<string, string>();
  readonly #walks = new Map<string, string>();
  readonly #start: () => string;

  /** `start` returns a random text. The first turn goes to the tenant after it, so that processes begin apart. */
  constructor(start: () => string) {
    this.#start = start;
  }

  /** Returns the tenant that had the last turn. The next turn goes to the one after it in the order of their names. */
  last(definition: string, urgency: number): string {
    return this.#last.get(keyOf(definition, urgency)) ?? this.#start();
  }

  /** Returns the last tenant of a walk that several claims share, or undefined if no walk goes on. */
  walkTo(definition: string, urgency: number): string | undefined {
    return this.#walks.get(keyOf(definition, urgency));
  }

  /** Records that the next claim continues the walk up to this tenant, or that there is no walk. */
  continueTo(definition: string, urgency: number, tenant: string | undefined): void {
    if (tenant === undefined) this.#walks.delete(keyOf(definition, urgency));
    else this.#walks.set(keyOf(definition, urgency), tenant);
  }

  /** Records that a tenant had its turn. */
  had(definition: string, urgency: number, tenant: string): void {
    this.#last.set(keyOf(definition, urgency), tenant);
  }
}

function keyOf(definition: string, urgency: number): string {
  return `${urgency} ${definition}`;
}

/**
 * Divides free slots among tenants. Each gets the same number, and the first ones get one more until all slots are used.
 */
export function sharesOf(slots: number, tenants: number): (place: number) => number {
  const share = Math.floor(slots / tenants);
  const extra = slots % tenants;
  return (place) => (place < extra ? share + 1 : share);
}
