import { parseStored } from "../../contract/json/json-text.js";
import type { JsonText, Operation } from "../../contract/operation.js";
import { type Problem, shownProblem } from "../../contract/problem.js";
import type { CreatedResource } from "../../ports/create.js";
import type { ListedOperation } from "../../ports/operation-store.js";
import type { ServiceSettings } from "../settings.js";

/** The body of a 202 (spec §2). */
interface AcceptedOperation {
  readonly operationId: string;
  readonly status: string;
}

/** An operation as the status endpoint shows it. */
export interface VisibleOperation extends AcceptedOperation {
  readonly definition: string;
  /** Time of acceptance. RFC 3339. */
  readonly createdAt: string;
  /** Number of attempts begun. Attempts that a stopping worker released do not count. */
  readonly attempt: number;
  /** Time of the end. RFC 3339. Absent until the operation is terminal. */
  readonly finishedAt?: string;
  /** Present while the operation is pending and a client or an operator has requested cancellation. */
  readonly cancelRequested?: true;
  readonly progress?: unknown;
  readonly result?: unknown;
  readonly error?: Problem;
}

/** The visible members of an operation. A list leaves out progress and result. */
type ShownOperation = ListedOperation & Pick<Partial<Operation>, "progress" | "result">;

/** Returns an operation as the status endpoint shows it. Copies each member by name, so nothing internal leaks. */
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
  // Measurements showed that spreads cost more here than serializing the result.
  if (settledAt !== undefined) visible.finishedAt = new Date(settledAt).toISOString();
  if (state === "pending" && operation.cancelRequested === true) visible.cancelRequested = true;
  if (state === "pending" && progress !== undefined) visible.progress = parseStored(progress);
  if (result !== undefined) visible.result = parseStored(result);
  if (error !== undefined) visible.error = shownProblem(parseStored(error), problemBaseUri);
  return visible;
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

/** Parses the stored resource of a 201. It stays as it was created. */
export function toResource(text: JsonText): CreatedResource {
  return parseStored(text) as CreatedResource;
}
