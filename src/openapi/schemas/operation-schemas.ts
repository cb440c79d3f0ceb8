import type { JsonSchema } from "../../contract/definition/definition.js";
import type { OperationStatus } from "../../contract/operation.js";
import type { Reference } from "../document.js";
import type { Draft } from "../draft.js";
import { resultSchema } from "./payload-schemas.js";
import { anyProblem, OPERATION_ERRORS } from "./problem-schemas.js";

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

/** Adds a pending operation, as the status endpoint shows it. */
function pendingOperation(draft: Draft): Reference {
  return operation(draft, "PendingOperation", "pending", { ...CANCEL_REQUESTED, ...PROGRESS });
}

/** Adds an operation that a worker runs although its cancellation was requested. */
export function cancellingOperation(draft: Draft): Reference {
  return operation(draft, "CancellingOperation", "pending", { ...CANCEL_REQUESTED, ...PROGRESS }, [
    "cancelRequested",
  ]);
}

/** Adds an operation in any state, as the status endpoint shows it. */
export function anyOperation(draft: Draft): Reference {
  const pending = pendingOperation(draft);
  return draft.schema("Operation", byStatus({ pending, ...ended(draft) }));
}

/** Adds a terminal operation, as a reply to `DELETE` shows it. */
export function endedOperation(draft: Draft): Reference {
  return draft.schema("EndedOperation", byStatus(ended(draft)));
}

/** Adds a page of a list. Its operations have neither progress nor results. */
export function operationList(draft: Draft): Reference {
  const error = anyProblem(draft, OPERATION_ERRORS);
  const variants = {
    pending: operation(draft, "ListedPendingOperation", "pending", CANCEL_REQUESTED),
    completed: operation(draft, "ListedCompletedOperation", "completed", FINISHED, ["finishedAt"]),
    failed: operation(draft, "ListedFailedOperation", "failed", { ...FINISHED, error }, [
      "finishedAt",
      "error",
    ]),
  };
  const items = draft.schema("ListedOperation", byStatus(variants));
  return draft.schema("OperationList", {
    type: "object",
    properties: { operations: { type: "array", items: { ...items, xml: { name: "operation" } } } },
    required: ["operations"],
  });
}

function ended(draft: Draft): Readonly<Record<string, Reference>> {
  const result = resultSchema(draft);
  const error = anyProblem(draft, OPERATION_ERRORS);
  return {
    completed: operation(draft, "CompletedOperation", "completed", { ...FINISHED, result }, ["finishedAt"]),
    failed: operation(draft, "FailedOperation", "failed", { ...FINISHED, error }, ["finishedAt", "error"]),
  };
}

const PROGRESS: Readonly<Record<string, JsonSchema>> = {
  progress: { description: "Latest progress of the work. Absent until the work has reported any." },
};

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

function byStatus(variants: Readonly<Record<string, Reference>>): JsonSchema {
  return {
    oneOf: Object.values(variants),
    discriminator: {
      propertyName: "status",
      mapping: Object.fromEntries(Object.entries(variants).map(([status, { $ref }]) => [status, $ref])),
    },
  };
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
      definition: { type: "string", description: "Name of the kind of work." },
      createdAt: { type: "string", format: "date-time", description: "Time when the work was accepted." },
      attempt: { type: "integer", minimum: 0, description: "Number of attempts so far." },
      ...members,
    },
    required: ["operationId", "status", "definition", "createdAt", "attempt", ...required],
  });
}
