import type { JsonSchema, OperationDefinition } from "../../contract/definition/definition.js";
import type { OperationStatus } from "../../contract/operation.js";
import type { Reference } from "../document.js";
import type { Draft, NamedDefinition } from "../draft.js";
import { progressSchema, resultSchema } from "./payload-schemas.js";
import { anyProblem, operationErrors } from "./problem-schemas.js";

/** Schema of an operation id. */
export const OPERATION_ID: JsonSchema = { type: "string", format: "uuid" };

/** Adds the body of a 202: id and status. */
export function acceptedOperation(draft: Draft): Reference {
  return draft.schema("AcceptedOperation", {
    type: "object",
    properties: {
      operationId: OPERATION_ID,
      status: { type: "string", enum: ["pending", "completed", "failed"] },
    },
    required: ["operationId", "status"],
  });
}

/** Adds an operation that a worker runs although its cancellation was requested. */
export function cancellingOperation(draft: Draft): Reference {
  const cancellable = draft.definitions.filter((definition) => definition.cancellable);
  const progress = { description: ANY_PROGRESS };
  const members = { ...definitionOf(cancellable), ...CANCEL_REQUESTED, ...outputOf(cancellable), progress };
  const required = ["cancelRequested", ...requiredOutput(cancellable)];
  return operation(draft, "CancellingOperation", "pending", members, required);
}

/** Adds an operation in any state, as the status endpoint shows it. */
export function anyOperation(draft: Draft): Reference {
  const pending = anyDefinition(draft, "Pending", pendingOperation);
  return draft.schema("Operation", oneOf("status", { pending, ...ended(draft) }));
}

/** Adds a terminal operation, as a reply to `DELETE` shows it. */
export function endedOperation(draft: Draft): Reference {
  return draft.schema("EndedOperation", oneOf("status", ended(draft)));
}

/** Describes a terminal operation of one definition, as a reply to a `POST` that waited shows it. */
export function endedOperationOf(draft: Draft, named: NamedDefinition): JsonSchema {
  if (draft.named.length === 1) return endedOperation(draft);
  return oneOf("status", { completed: completedOperation(draft, named), failed: failedOperation(draft) });
}

/** Adds a page of a list. Its operations have neither progress nor results. */
export function operationList(draft: Draft): Reference {
  const definition = definitionOf(draft.definitions);
  const ended = { ...definition, ...FINISHED };
  const failed = { ...ended, error: anyProblem(draft, operationErrors(draft)) };
  const variants = {
    pending: operation(draft, "ListedPendingOperation", "pending", { ...definition, ...CANCEL_REQUESTED }),
    completed: operation(draft, "ListedCompletedOperation", "completed", ended, ["finishedAt"]),
    failed: operation(draft, "ListedFailedOperation", "failed", failed, ["finishedAt", "error"]),
  };
  const items = draft.schema("ListedOperation", oneOf("status", variants));
  return draft.schema("OperationList", {
    type: "object",
    properties: { operations: { type: "array", items: { ...items, xml: { name: "operation" } } } },
    required: ["operations"],
  });
}

function ended(draft: Draft): Readonly<Record<string, Reference>> {
  return {
    completed: anyDefinition(draft, "Completed", completedOperation),
    failed: failedOperation(draft),
  };
}

/** Adds an operation of any definition. Each definition has its own schema, and `definition` tells them apart. */
function anyDefinition(
  draft: Draft,
  status: "Pending" | "Completed",
  add: (draft: Draft, named: NamedDefinition) => Reference,
): Reference {
  const variants = draft.named.map((named) => [named.definition.name, add(draft, named)] as const);
  const [[, only] = [], ...others] = variants;
  if (only !== undefined && others.length === 0) return only;
  return draft.schema(`${status}Operation`, {
    // Some code generators expect that the target of a mapping is an object with the discriminator.
    type: "object",
    properties: { status: { type: "string", const: status.toLowerCase() } },
    required: ["status"],
    ...oneOf("definition", Object.fromEntries(variants)),
  });
}

function pendingOperation(draft: Draft, named: NamedDefinition): Reference {
  const members = {
    ...definitionOf([named.definition]),
    ...CANCEL_REQUESTED,
    ...outputOf([named.definition]),
    progress: progressSchema(draft, named, ANY_PROGRESS),
  };
  const required = requiredOutput([named.definition]);
  return operation(draft, variantName(draft, named, "Pending"), "pending", members, required);
}

function completedOperation(draft: Draft, named: NamedDefinition): Reference {
  const members = {
    ...definitionOf([named.definition]),
    ...FINISHED,
    ...outputOf([named.definition]),
    result: resultSchema(draft, named),
  };
  const required = ["finishedAt", ...requiredOutput([named.definition])];
  return operation(draft, variantName(draft, named, "Completed"), "completed", members, required);
}

function failedOperation(draft: Draft): Reference {
  const error = anyProblem(draft, operationErrors(draft));
  const members = { ...definitionOf(draft.definitions), ...FINISHED, ...outputOf(draft.definitions), error };
  const required = ["finishedAt", "error", ...requiredOutput(draft.definitions)];
  return operation(draft, "FailedOperation", "failed", members, required);
}

function variantName({ named }: Draft, { name }: NamedDefinition, status: "Pending" | "Completed"): string {
  return named.length === 1 ? `${status}Operation` : `${name}${status}`;
}

/** Describes the member `definition` of an operation of one of these definitions. */
function definitionOf(definitions: readonly OperationDefinition[]): Readonly<Record<string, JsonSchema>> {
  const names = definitions.map(({ name }) => name);
  const values = names.length === 1 ? { const: names[0] } : { enum: names };
  return { definition: { type: "string", ...values, description: "Name of the kind of work." } };
}

/** Describes the member `output`, if one of these definitions has output. */
function outputOf(definitions: readonly OperationDefinition[]): Readonly<Record<string, JsonSchema>> {
  if (!definitions.some(hasOutput)) return {};
  const properties = {
    href: { type: "string", format: "uri-reference", description: "Path of the output." },
    closed: { type: "boolean", description: "Whether nothing is added to it any more." },
  };
  return { output: { type: "object", properties, required: ["href", "closed"] } };
}

/** Returns the member that `outputOf` describes, if every operation of these definitions has it. */
function requiredOutput(definitions: readonly OperationDefinition[]): readonly string[] {
  return definitions.every(hasOutput) ? ["output"] : [];
}

function hasOutput({ chunk }: OperationDefinition): boolean {
  return chunk !== undefined;
}

const ANY_PROGRESS = "Latest progress of the work. Absent until the work has reported any.";

const CANCEL_REQUESTED: Readonly<Record<string, JsonSchema>> = {
  cancelRequested: {
    type: "boolean",
    const: true,
    description: "Present if cancellation was requested while an attempt was running.",
  },
};

const FINISHED: Readonly<Record<string, JsonSchema>> = {
  finishedAt: { type: "string", format: "date-time", description: "Time when the operation ended." },
};

/** Returns a schema for one of these variants, which are named after the value of this member. */
function oneOf(propertyName: string, variants: Readonly<Record<string, Reference>>): JsonSchema {
  const mapping = Object.fromEntries(Object.entries(variants).map(([value, { $ref }]) => [value, $ref]));
  return { oneOf: Object.values(variants), discriminator: { propertyName, mapping } };
}

function operation(
  draft: Draft,
  name: string,
  status: OperationStatus,
  members: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): Reference {
  return draft.schema(name, {
    type: "object",
    properties: {
      operationId: OPERATION_ID,
      status: { type: "string", const: status },
      createdAt: { type: "string", format: "date-time", description: "Time when the work was accepted." },
      attempt: { type: "integer", minimum: 0, description: "Number of attempts so far." },
      ...members,
    },
    required: ["operationId", "status", "definition", "createdAt", "attempt", ...required],
  });
}
