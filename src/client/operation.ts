import type { ViewOf } from "../contract/definition/definitions.js";
import type { OperationStatus } from "../contract/operation.js";
import { misuse } from "../contract/options.js";
import type { Problem } from "../contract/problem.js";

/**
 * An operation as the status endpoint shows it. Times are texts (RFC 3339). A status that this version does not know
 * counts as `pending`.
 */
export type ClientOperation<Definition> = ViewOf<Definition, string>;

/** An operation of any definition. */
export interface AnyOperation {
  readonly operationId: string;
  readonly status: OperationStatus;
  readonly result?: unknown;
  readonly error?: Problem;
}

/**
 * Returns the operation in the body of a reply.
 *
 * Throws `INVALID_OPTION` if the body is something else: the client talks to another service.
 */
export function toOperation(body: unknown, url: string): AnyOperation {
  const operation = body as AnyOperation | null | undefined;
  if (typeof operation?.operationId !== "string" || typeof operation.status !== "string")
    throw misuse(`The reply of ${url} is not an operation. Check \`baseUrl\` and \`statusPath\`.`);
  return hasEnded(operation) ? operation : { ...operation, status: "pending" };
}

/** Returns whether an operation has reached a terminal status. */
export function hasEnded({ status }: Pick<AnyOperation, "status">): boolean {
  return status === "completed" || status === "failed";
}
