import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { parseStored, toJsonText } from "../../../contract/json/json-text.js";
import type { JsonText } from "../../../contract/operation.js";
import { validateAs, validateNow } from "../../../contract/schema.js";
import type { OutputState } from "../../../ports/output-store.js";
import type { CheckedProcessor } from "../../processors.js";

/**
 * Returns the stored form of a chunk.
 *
 * Throws `INVALID_RESULT`.
 */
export function toChunk({ definition, settings }: CheckedProcessor, value: unknown): JsonText {
  const { chunk: schema } = definition;
  try {
    const reason = "`job.write` checks each chunk at once.";
    const chunk = schema === undefined ? value : validateNow(schema, value, "chunk", reason);
    return toJsonText(chunk, settings.maxResultBytes);
  } catch (error) {
    throw about("a chunk of its output", error);
  }
}

/**
 * Returns the stored form of a checkpoint.
 *
 * Rejects with `INVALID_RESULT`.
 */
export async function toCheckpoint(
  { definition, settings }: CheckedProcessor,
  value: unknown,
): Promise<JsonText> {
  const { checkpoint: schema } = definition;
  try {
    const checkpoint = schema === undefined ? value : await validateAs("INVALID_RESULT", schema, value);
    return toJsonText(checkpoint, settings.maxResultBytes);
  } catch (error) {
    throw about("a checkpoint", error);
  }
}

/**
 * Returns the last checkpoint of an operation for `job.resumed`.
 *
 * Rejects with `INPUT_REFUSED`, without the reasons of the schema: a client never sees checkpoints.
 */
export async function toResumed(
  { definition: { checkpoint: schema } }: CheckedProcessor,
  { checkpoint }: OutputState,
): Promise<unknown> {
  if (schema === undefined || checkpoint === undefined) return undefined;
  const stored = parseStored(checkpoint.value);
  try {
    return await validateAs("INPUT_REFUSED", schema, stored);
  } catch (cause) {
    if (!isAsyncReplyError(cause) || cause.code !== "INPUT_REFUSED") throw cause;
    const detail = "its last checkpoint is not one of the current contract.";
    throw new AsyncReplyError("INPUT_REFUSED", detail, { cause, eventDetail: cause.message });
  }
}

/** Says what an invalid value is. */
function about(subject: string, error: unknown): unknown {
  if (!isAsyncReplyError(error) || error.code !== "INVALID_RESULT") return error;
  const { detail, context } = error;
  return new AsyncReplyError("INVALID_RESULT", `${subject}: ${detail}`, {
    ...context,
    eventDetail: `${subject}: ${context.eventDetail ?? detail}`,
  });
}
