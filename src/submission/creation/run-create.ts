import { AsyncReplyError, isAsyncReplyError } from "../../contract/errors.js";
import { toJsonText } from "../../contract/json/json-text.js";
import type { JsonText } from "../../contract/operation.js";
import { operationError } from "../../contract/problem.js";
import type { AnyCreate, CreatedResource } from "../../ports/create.js";
import type { Clock } from "../../ports/runtime.js";
import { withinTime } from "../../protocol/within-time.js";

export interface CreateLimits {
  readonly clock: Clock;
  /** After so long the creation counts as failed, whatever it still does. */
  readonly createTimeoutMs: number;
  readonly maxResultBytes: number;
}

/** A `create` function, and what it is called with. */
export interface CreateCall {
  readonly create: AnyCreate;
  /** Output of the input schema. */
  readonly input: unknown;
  readonly operationId: string;
  readonly tenant: string;
}

/**
 * Calls `create` within its time, aborts `stopping` when the time is up, and returns the stored form of the resource: what every 201 of this operation shows.
 *
 * @throws AsyncReplyError `ATTEMPT_TIMEOUT`, `INVALID_RESULT`, and what `create` throws
 */
export async function runCreate(
  { create, input, operationId, tenant }: CreateCall,
  stopping: AbortController,
  { clock, createTimeoutMs, maxResultBytes }: CreateLimits,
  transaction: { readonly tx?: unknown } = {},
): Promise<JsonText> {
  const { signal } = stopping;
  const given = { operationId, tenant, signal, ...transaction };
  const creating = Promise.resolve().then(() => create(input as never, given as never));
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
    Array.isArray(body) ||
    !(location === undefined || typeof location === "string")
  ) {
    throw new AsyncReplyError(
      "INVALID_RESULT",
      "`create` must return `{ body, location? }`, where `body` is an object.",
    );
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
