import { parseStored } from "../../contract/json/json-text.js";
import type { JsonText, Operation } from "../../contract/operation.js";
import { withBaseUri } from "../../contract/problem.js";
import type { CreatedResource } from "../../ports/create.js";
import type { ListedOperation } from "../../ports/operation-store.js";
import type { ServiceSettings } from "../settings.js";

/** The operation resource of the 202 (spec §2). */
interface AcceptedOperation {
  readonly operationId: string;
  readonly status: string;
}

/** The operation resource of the status endpoint: members beyond the two are there when they have something to say. */
export interface VisibleOperation extends AcceptedOperation {
  readonly definition: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Attempts begun and not given back. */
  readonly attempt: number;
  /** RFC 3339. Absent until the operation is terminal. */
  readonly finishedAt?: string;
  readonly progress?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** What of an operation can be shown. A list leaves out the payloads. */
type ShownOperation = ListedOperation & Pick<Partial<Operation>, "progress" | "result">;

/** The operation as the status endpoint shows it. Built member by member, so that nothing internal gets out. */
export function toVisible(
  operation: ShownOperation,
  { problemBaseUri }: Pick<ServiceSettings, "problemBaseUri">,
): VisibleOperation {
  const { id, state, definition, createdAt, settledAt, attempt, progress, result, error } = operation;
  const visible: Writable<VisibleOperation> = {
    operationId: id,
    status: state,
    definition,
    createdAt: new Date(createdAt).toISOString(),
    attempt,
  };
  // Not spread: measured to cost more than writing all of it as text.
  if (settledAt !== undefined) visible.finishedAt = new Date(settledAt).toISOString();
  if (state === "pending" && progress !== undefined) visible.progress = parseStored(progress);
  if (result !== undefined) visible.result = parseStored(result);
  if (error !== undefined) visible.error = withBaseUri(parseStored(error), problemBaseUri);
  return visible;
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

/** The resource of a 201, as it was when it was created. */
export function toResource(text: JsonText): CreatedResource {
  return parseStored(text) as CreatedResource;
}
