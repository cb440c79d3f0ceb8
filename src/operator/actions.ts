import { AsyncReplyError } from "../contract/errors.js";
import { parseStored } from "../contract/json/json-text.js";
import { checkIdText, integer, optional } from "../contract/option-values.js";
import { type OptionTable, present, readOptions } from "../contract/options.js";
import type { ActionKind, RecordedAction } from "../ports/actions-store.js";
import { checkKnown, type OperatorContext } from "./context.js";
import { readDate } from "./filter.js";

/** Filter of `Operator.actions`. Absent members do not narrow the list. */
export interface ActionFilter<Name extends string = string> {
  /** Only actions on this definition, or on operations of it. */
  readonly definition?: Name | undefined;
  /** Only actions on this operation. */
  readonly operationId?: string | undefined;
  /** Only actions at this time or later. */
  readonly from?: Date | undefined;
  /** Only actions before this time. */
  readonly to?: Date | undefined;
  /** Maximum number of actions, 1 to 1,000. Default: 100. */
  readonly limit?: number;
}

/** Everything else that is known of an action. */
export interface ActionFacts {
  /** Outcome of a cancellation. */
  readonly outcome?: "cancelled" | "requested";
  /** Id of the new operation of a redrive. */
  readonly retriedBy?: string;
  /** Whether a redrive continued from the last checkpoint. */
  readonly keepCheckpoint?: true;
  /** Filter of a redrive of many, with times in RFC 3339, and a message whose variable parts are `*`. */
  readonly filter?: Readonly<Record<string, string | boolean>>;
  /** Number of operations that a redrive of many ran again, with all its cursors. */
  readonly redriven?: number;
  /** Number of matching operations that it skipped. */
  readonly skipped?: number;
  /** `true` if it has not reached the end of the list. */
  readonly more?: true;
  /** Code of the error with which it was rejected. */
  readonly rejected?: string;
}

/** Something that an operator changed. */
export interface OperatorAction {
  /** When it was recorded, by the clock of the store. For a redrive of many, when its first call ended. */
  readonly at: Date;
  /** Kind of the change. Later releases can have more kinds. */
  readonly action: ActionKind;
  /** Name of the definition. Absent for a redrive of many whose filter has none. */
  readonly definition?: string;
  /** Id of the operation that was cancelled or run again. Absent for other actions. */
  readonly operationId?: string;
  /** Id of the person or program that acted. Absent if it was not given. */
  readonly by?: string;
  /** Page or program through which they acted. Absent if it was not given. */
  readonly via?: string;
  /** Everything else that is known. */
  readonly facts: ActionFacts;
}

/** Lists what operators did: see `Operator.actions`. */
export async function listActions(
  context: OperatorContext,
  filter: ActionFilter = {},
): Promise<readonly OperatorAction[]> {
  const { from, to, ...read } = readOptions<ReadFilter>(filter, filterTable(context), "operator.actions");
  if (context.actions === undefined)
    throw new AsyncReplyError(
      "NOT_SUPPORTED",
      "This back end keeps no actions. Observe the event `operator.acted` instead.",
    );
  const range = present({ from: from?.getTime(), to: to?.getTime() });
  const { limit, ...about } = read;
  return (await context.actions.list({ ...present(about), ...range, limit })).map(toOperatorAction);
}

type ReadFilter = { readonly [Name in keyof ActionFilter]-?: ActionFilter[Name] } & {
  readonly limit: number;
};

function filterTable(context: OperatorContext): OptionTable<ReadFilter> {
  return {
    definition: optional((name) => checkKnown(context, name)),
    operationId: optional((id) => {
      checkIdText(id, "from a list");
      return id;
    }),
    from: optional(readDate),
    to: optional(readDate),
    limit: integer(100, 1_000),
  };
}

function toOperatorAction({ id: _, at, facts, ...action }: RecordedAction): OperatorAction {
  return { at: new Date(at), ...action, facts: parseStored(facts) as ActionFacts };
}
