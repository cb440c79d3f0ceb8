import type { NewOperation } from "../../../contract/operation.js";
import type { World } from "../world/world.js";
import { NOTICES } from "./notices.js";

/** Adds metadata, and sometimes a follow-up, to submitted operations. The same operation always gets the same ones. */
export class Extras {
  readonly #world: World;
  readonly #newId: () => string;
  readonly #known = new Map<string, Pick<NewOperation, "onEnd" | "meta">>();

  constructor(world: World, newId: () => string) {
    this.#world = world;
    this.#newId = newId;
  }

  /** Returns the operation with its metadata and its follow-up, if it has one. */
  of(operation: NewOperation): NewOperation {
    const extras = this.#known.get(operation.id) ?? this.#choose(operation);
    this.#known.set(operation.id, extras);
    return { ...operation, ...extras };
  }

  #choose({ id }: NewOperation): Pick<NewOperation, "onEnd" | "meta"> {
    const follows = this.#world.choices.choose(2) === 1;
    const { name: definition, retentionMs, failedRetentionMs } = NOTICES;
    const input = JSON.stringify({ about: id });
    const onEnd = { id: this.#newId(), definition, retentionMs, failedRetentionMs, input };
    return {
      meta: JSON.stringify({ trace: id }),
      ...(follows ? { onEnd } : {}),
    };
  }
}
