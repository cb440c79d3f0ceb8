import type { CreatedResource, OperationDefinition } from "../core/definition.js";
import { AsyncReplyError, isAsyncReplyError } from "../core/errors.js";
import { toJsonText } from "../core/json-text.js";
import type { JsonText } from "../core/operation.js";
import { operationError } from "../core/problem.js";
import type { Clock } from "../ports/runtime.js";
import { withinTime } from "./within-time.js";

export interface CreateLimits {
  readonly clock: Clock;
  /** After so long the creation counts as failed, whatever it still does. */
  readonly createTimeoutMs: number;
  readonly maxResultBytes: number;
}

/** What `create` of a definition is called with, and how to make it stop. */
export interface CreateCall {
  readonly definition: OperationDefinition;
  /** What the schema makes of the payload. */
  readonly input: unknown;
  readonly operationId: string;
  /** Aborted here when the time is up. */
  readonly stopping: AbortController;
}

/**
 * Calls `create` within its time and gives the stored form of the resource: what every 201 of this operation shows.
 *
 * @throws AsyncReplyError `ATTEMPT_TIMEOUT`, `INVALID_RESULT`, and what `create` throws
 */
export async function runCreate(
  { definition, input, operationId, stopping }: CreateCall,
  { clock, createTimeoutMs, maxResultBytes }: CreateLimits,
  transaction: { readonly tx?: unknown } = {},
): Promise<JsonText> {
  const { signal } = stopping;
  const creating = Promise.resolve().then(() =>
    definition.create?.(input, { operationId, signal, ...transaction }),
  );
  const tookTooLong = (): AsyncReplyError => {
    const error = new AsyncReplyError("ATTEMPT_TIMEOUT", "The creation of the resource took too long.");
    stopping.abort(error);
    return error;
  };
  return resourceText(await withinTime(creating, createTimeoutMs, clock, tookTooLong), maxResultBytes);
}

/** The `error` of an operation whose creation another attempt would not mend; undefined where one might. */
export function permanentError(error: unknown): JsonText | undefined {
  if (!isAsyncReplyError(error) || error.code !== "PERMANENT_FAILURE") return undefined;
  return operationError("work-failed", error.detail);
}

function resourceText(resource: CreatedResource | undefined, maxBytes: number): JsonText {
  const { body, location } = resource ?? ({} as Partial<CreatedResource>);
  if (
    typeof body !== "object" ||
    body === null ||
    !(location === undefined || typeof location === "string")
  ) {
    throw new AsyncReplyError("INVALID_RESULT", "`create` must return `{ body, location? }`.");
  }
  return toJsonText(
    { body, ...(location === undefined ? {} : { location: toUriReference(location) }) },
    maxBytes,
  );
}

/** Percent-encodes what no URI can hold (RFC 3986 §2), above all what would end the header field that it goes into. */
function toUriReference(location: string): string {
  return location.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}
