import type { CreatedResource } from "../core/definition.js";
import type { JsonText, Operation } from "../core/operation.js";

/** The operation resource of the 202 (spec §2). */
interface AcceptedOperation {
  readonly operationId: string;
  readonly status: string;
}

/** The operation resource of the status endpoint: members beyond the two are there when they have something to say. */
export interface VisibleOperation extends AcceptedOperation {
  /** RFC 3339. */
  readonly createdAt: string;
  readonly progress?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The operation as the status endpoint shows it. Built member by member, so that nothing internal gets out. */
export function toVisible(operation: Operation): VisibleOperation {
  const { id, state, createdAt, progress, result, error } = operation;
  const visible: Writable<VisibleOperation> = {
    operationId: id,
    status: state,
    createdAt: new Date(createdAt).toISOString(),
  };
  // Not spread: measured to cost more than writing all of it as text.
  if (state === "pending" && progress !== undefined) visible.progress = JSON.parse(progress);
  if (result !== undefined) visible.result = JSON.parse(result);
  if (error !== undefined) visible.error = JSON.parse(error);
  return visible;
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

/** The resource of a 201, as it was when it was created. */
export function toResource(text: JsonText): CreatedResource {
  return JSON.parse(text) as CreatedResource;
}
