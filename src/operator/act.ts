import { tenantProblem } from "../contract/operation.js";
import { optional } from "../contract/option-values.js";
import { misuse, type OptionTable, present } from "../contract/options.js";
import type { Action } from "../ports/actions-store.js";
import type { ActedEvent } from "../ports/observer.js";
import type { OperatorContext } from "./context.js";

/** The person or program that acts, and through what. Others can see it for 90 days: see `Operator.actions`. */
export interface ActionOptions {
  /** Id of the person or program that acts: 1 to 255 UTF-16 code units. Default: none. */
  readonly by?: string | undefined;
  /** Page or program through which they act, such as `console`: 1 to 255 UTF-16 code units. Default: none. */
  readonly via?: string | undefined;
}

/** How they are read. */
export const ACTION_OPTIONS: OptionTable<ActionOptions> = { by: optional(readName), via: optional(readName) };

/** A change that was made. */
interface Act {
  readonly event: ActedEvent;
  readonly facts?: object;
  /** Id of the action. Default: a new one. */
  readonly id?: string;
}

/** Reports and records an action that has succeeded. Never rejects: an error of the store is reported. */
export async function recordAction(
  { actions, observe, runtime }: Pick<OperatorContext, "actions" | "observe" | "runtime">,
  { event, facts = {}, id = runtime.newId() }: Act,
  options: ActionOptions,
): Promise<void> {
  const who = present({ by: options.by, via: options.via });
  // The last call of a redrive of many can find nothing to run any more.
  if (!("redriven" in event && event.redriven === 0)) observe({ event: "operator.acted", ...event, ...who });
  try {
    await actions?.record({ id, ...aboutOf(event), ...who, facts: JSON.stringify(facts) });
  } catch (error) {
    observe({ event: "background.failed", step: "record-action", error });
  }
}

function aboutOf(event: ActedEvent): Pick<Action, "action" | "definition" | "operationId"> {
  const { action, definition } = event;
  return {
    action,
    ...present({ definition, operationId: "operationId" in event ? event.operationId : undefined }),
  };
}

function readName(value: unknown, name: string): string {
  const problem = tenantProblem(value);
  if (problem === undefined) return value as string;
  throw misuse(
    `Option \`${name}\` ${problem}. Pass 1 to 255 UTF-16 code units, well formed and without NUL.`,
  );
}
