import type { NewOperation } from "../../../contract/operation.js";
import type { World } from "../world/world.js";
import { NOTICES } from "./notices.js";

/** Adds metadata, and sometimes a follow-up or an urgency, to submitted operations. The same operation always gets the same ones. */
export class Extras {
  readonly #world: World;
  readonly #newId: () => string;
  readonly #known = new Map<string, Pick<NewOperation, "onEnd" | "meta" | "urgency">>();

  constructor(world: World, newId: () => string) {
    this.#world = world;
    this.#newId = newId;
  }

  /** Returns the operation with what was added to it. */
  of(operation: NewOperation): NewOperation {
    const extras = this.#known.get(operation.id) ?? this.#choose(operation);
    this.#known.set(operation.id, extras);
    return { ...operation, ...extras };
  }

  #choose({ id }: NewOperation): Pick<NewOperation, "onEnd" | "meta" | "urgency"> {
    const { choices } = this.#world;
    const follows = choices.choose(2) === 1;
    const urgency = [undefined, 0, 7, undefined][choices.choose(4)];
    const { name: definition, retentionMs, failedRetentionMs } = NOTICES;
    const input = JSON.stringify({ about: id });
    const onEnd = { id: this.#newId(), definition, retentionMs, failedRetentionMs, input };
    return {
      meta: JSON.stringify({ trace: id }),
      ...(follows ? { onEnd } : {}),
      ...(urgency === undefined ? {} : { urgency }),
    };
  }
}
