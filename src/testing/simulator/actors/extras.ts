import type { NewOperation } from "../../../contract/operation.js";
import type { World } from "../world/world.js";
import { NOTICES } from "./notices.js";

/** Members that are added to an operation. */
type Added = Pick<NewOperation, "onEnd" | "meta" | "urgency" | "startWithinMs">;

/** Adds metadata, and sometimes a follow-up, an urgency or a deadline, to submitted operations. The same operation always gets the same ones. */
export class Extras {
  readonly #world: World;
  readonly #newId: () => string;
  readonly #known = new Map<string, Added>();
  /** Whether the store ends overdue operations. */
  readonly #deadlines: boolean;

  constructor(world: World, newId: () => string, deadlines: boolean) {
    this.#world = world;
    this.#deadlines = deadlines;
    this.#newId = newId;
  }

  /** Returns the operation with what was added to it. */
  of(operation: NewOperation): NewOperation {
    const extras = this.#known.get(operation.id) ?? this.#choose(operation);
    this.#known.set(operation.id, extras);
    return { ...operation, ...extras };
  }

  #choose({ id }: NewOperation): Added {
    const { choices } = this.#world;
    const follows = choices.choose(2) === 1;
    const urgency = [undefined, 0, 7, undefined][choices.choose(4)];
    const startWithinMs = this.#deadlines
      ? [undefined, undefined, 2_000, 45_000][choices.choose(4)]
      : undefined;
    const { name: definition, retentionMs, failedRetentionMs } = NOTICES;
    const input = JSON.stringify({ about: id });
    const onEnd = { id: this.#newId(), definition, retentionMs, failedRetentionMs, input };
    return {
      meta: JSON.stringify({ trace: id }),
      ...(follows ? { onEnd } : {}),
      ...(urgency === undefined ? {} : { urgency }),
      ...(startWithinMs === undefined ? {} : { startWithinMs }),
    };
  }
}
