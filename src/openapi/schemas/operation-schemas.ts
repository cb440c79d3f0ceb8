import type { JsonSchema } from "../../contract/definition/definition.js";
import type { OperationStatus } from "../../contract/operation.js";
import type { Components } from "../components.js";
import type { Reference } from "../document.js";
import { anyProblem, OPERATION_ERRORS } from "./problem-schemas.js";

/** Schema of an operation id. */
export const OPERATION_ID: JsonSchema = { type: "string", format: "uuid" };

/** Adds the body of a 202: id and status. */
export function acceptedOperation(components: Components): Reference {
  return components.schema("AcceptedOperation", {
    type: "object",
    properties: {
      operationId: OPERATION_ID,
      status: { type: "string", enum: ["pending", "completed", "failed"] },
    },
    required: ["operationId", "status"],
  });
}

/** Adds a pending operation, as the status endpoint shows it. */
function pendingOperation(components: Components): Reference {
  return operation(components, "PendingOperation", "pending", { ...CANCEL_REQUESTED, ...PROGRESS });
}

/** Adds an operation that a worker runs although its cancellation was requested. */
export function cancellingOperation(components: Components): Reference {
  return operation(components, "CancellingOperation", "pending", { ...CANCEL_REQUESTED, ...PROGRESS }, [
    "cancelRequested",
  ]);
}

/** Adds an operation in any state, as the status endpoint shows it. */
export function anyOperation(components: Components, result: JsonSchema): Reference {
  const pending = pendingOperation(components);
  return components.schema("Operation", byStatus({ pending, ...ended(components, result) }));
}

/** Adds a terminal operation, as a reply to `DELETE` shows it. */
export function endedOperation(components: Components, result: JsonSchema): Reference {
  return components.schema("EndedOperation", byStatus(ended(components, result)));
}

/** Adds a page of a list. Its operations have neither progress nor results. */
export function operationList(components: Components): Reference {
  const error = anyProblem(components, OPERATION_ERRORS);
  const variants = {
    pending: operation(components, "ListedPendingOperation", "pending", CANCEL_REQUESTED),
    completed: operation(components, "ListedCompletedOperation", "completed", FINISHED, ["finishedAt"]),
    failed: operation(components, "ListedFailedOperation", "failed", { ...FINISHED, error }, [
      "finishedAt",
      "error",
    ]),
  };
  const items = components.schema("ListedOperation", byStatus(variants));
  return components.schema("OperationList", {
    type: "object",
    properties: { operations: { type: "array", items: { ...items, xml: { name: "operation" } } } },
    required: ["operations"],
  });
}

function ended(components: Components, result: JsonSchema): Readonly<Record<string, Reference>> {
  const error = anyProblem(components, OPERATION_ERRORS);
  return {
    completed: operation(components, "CompletedOperation", "completed", { ...FINISHED, result }, [
      "finishedAt",
    ]),
    failed: operation(components, "FailedOperation", "failed", { ...FINISHED, error }, [
      "finishedAt",
      "error",
    ]),
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
  components: Components,
  name: string,
  status: OperationStatus,
  members: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): Reference {
  return components.schema(name, {
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
