import type { ConsumedDefinition, ReceiveRequest } from "../../ports/queue.js";

/** How many messages of a definition a call may take. */
export interface Share {
  readonly definition: string;
  readonly count: number;
}

/**
 * Creates a function that lists the definitions with free slots. They take turns at being first, so each of them gets
 * work even if only one slot is free.
 */
export function createShares(
  definitions: readonly ConsumedDefinition[],
): (request: Pick<ReceiveRequest, "slots" | "limit">) => readonly Share[] {
  let turn = 0;
  return ({ slots, limit }) => {
    const first = turn++ % Math.max(1, definitions.length);
    const inTurn = [...definitions.slice(first), ...definitions.slice(0, first)];
    return inTurn.flatMap(({ name }) => {
      const count = Math.min(slots.get(name) ?? 0, limit);
      return count > 0 ? [{ definition: name, count }] : [];
    });
  };
}

/** Groups items by their definition, in the order in which the definitions first appear. */
export function byDefinition<Item extends { readonly definition: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.definition);
    if (group === undefined) groups.set(item.definition, [item]);
    else group.push(item);
  }
  return groups;
}
