import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { toJsonText } from "../../../contract/json/json-text.js";
import type { JsonText } from "../../../contract/operation.js";
import { operationError } from "../../../contract/problem.js";
import { withinTime } from "../../../platform/waits.js";
import type { AnyCreate, CreatedResource } from "../../../ports/create.js";
import type { Clock } from "../../../ports/runtime.js";

export interface CreateSettings {
  readonly clock: Clock;
  /** Time limit. Then the creation counts as failed, even if it is still running. Milliseconds. */
  readonly createTimeoutMs: number;
  /** Maximum size of the return value. Bytes of JSON. */
  readonly maxResultBytes: number;
}

/** A `create` function with its arguments. */
export interface CreateCall {
  readonly create: AnyCreate;
  /** Output of the input schema. */
  readonly input: unknown;
  readonly operationId: string;
  readonly tenant: string;
}

/**
 * Calls `create` with a time limit and returns the stored form of the resource, which every 201 of this operation
 * shows. Aborts `stopping` when the time is up.
 *
 * Throws `ATTEMPT_TIMEOUT`, `INVALID_RESULT`, and the errors of `create`.
 */
export async function runCreate(
  { create, input, operationId, tenant }: CreateCall,
  stopping: AbortController,
  { clock, createTimeoutMs, maxResultBytes }: CreateSettings,
  transaction: { readonly tx?: unknown } = {},
): Promise<JsonText> {
  const { signal } = stopping;
  const given = { operationId, tenant, signal, ...transaction };
  const creating = Promise.resolve().then(() => create(input as never, given as never));
  const tookTooLong = (): AsyncReplyError => {
    const error = new AsyncReplyError(
      "ATTEMPT_TIMEOUT",
      `\`create\` did not settle within ${createTimeoutMs} ms. Raise \`createTimeoutMs\`, or do less work in it.`,
    );
    stopping.abort(error);
    return error;
  };
  return resourceText(await withinTime(creating, createTimeoutMs, clock, tookTooLong), maxResultBytes);
}

/** Returns the `error` of an operation whose creation failed permanently, or undefined if a retry may succeed. */
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
    const advice = isAsyncReplyError(resource)
      ? `It returned the error ${resource.code}. Throw it instead.`
      : "`body` must be an object, and `location` a string.";
    throw new AsyncReplyError("INVALID_RESULT", `\`create\` must return \`{ body, location? }\`. ${advice}`);
  }
  return toJsonText(
    { body, ...(location === undefined ? {} : { location: toUriReference(location) }) },
    maxBytes,
  );
}

/** Percent-encodes characters that no URI can contain (RFC 3986 §2), such as those that would end a header field. */
function toUriReference(location: string): string {
  return location.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}
