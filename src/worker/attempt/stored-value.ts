import { AsyncReplyError, isAsyncReplyError } from "../../contract/errors.js";
import { toJsonText } from "../../contract/json/json-text.js";
import type { JsonText } from "../../contract/operation.js";
import { type StandardSchema, validate, validateAs, withCode } from "../../contract/schema.js";
import type { CheckedProcessor } from "../processors.js";

/**
 * Checks a result and returns its stored form, which is a promise only if the schema is asynchronous.
 *
 * Throws or rejects with `INVALID_RESULT`.
 */
export function toStored(
  { definition: { result: schema }, settings }: CheckedProcessor,
  value: unknown,
): JsonText | undefined | Promise<JsonText | undefined> {
  const result = schema === undefined ? value : validateAs("INVALID_RESULT", schema, value);
  if (result instanceof Promise) return result.then((checked) => textOf(checked, settings));
  return textOf(result, settings);
}

/** Does the same as {@link toStored} within a synchronous transaction. */
export function toStoredNow(
  { definition: { result: schema }, settings }: CheckedProcessor,
  value: unknown,
): JsonText | undefined {
  const reason = "On this back end, `job.transaction` checks the result within the transaction.";
  const result = schema === undefined ? value : validateNow(schema, value, "result", reason);
  return textOf(result, settings);
}

function textOf(
  result: unknown,
  { maxResultBytes }: Pick<CheckedProcessor["settings"], "maxResultBytes">,
): JsonText | undefined {
  return result === undefined ? undefined : toJsonText(result, maxResultBytes);
}

/**
 * Returns the stored form of reported progress, or the error that says why this value cannot be stored.
 *
 * Throws `INVALID_RESULT` if the schema is asynchronous, and what a broken schema throws.
 */
export function toProgress(
  { definition: { progress: schema }, settings }: CheckedProcessor,
  value: unknown,
): JsonText | AsyncReplyError {
  const reason = "`job.progress` returns no promise.";
  let progress = value;
  try {
    if (schema !== undefined) progress = validateNow(schema, value, "progress", reason);
  } catch (error) {
    // Without violations, the schema did not judge the value.
    if (isAsyncReplyError(error) && error.context.violations !== undefined) return error;
    throw error;
  }
  try {
    return toJsonText(progress, settings.maxResultBytes);
  } catch (error) {
    return error as AsyncReplyError;
  }
}

function validateNow(
  schema: StandardSchema,
  value: unknown,
  name: "progress" | "result",
  reason: string,
): unknown {
  let checked: unknown;
  try {
    checked = validate(schema, value);
  } catch (error) {
    throw withCode("INVALID_RESULT", error);
  }
  if (!(checked instanceof Promise)) return checked;
  checked.catch(() => {});
  throw new AsyncReplyError("INVALID_RESULT", `The ${name} schema must be synchronous. ${reason}`);
}
