import { isAsyncReplyError, textOf } from "../contract/errors.js";

const MAX_TEXT = 500;
const MAX_FRAMES = 6;

/** Returns the name, code and message of any thrown value. Never throws. */
export function describeError(error: unknown): string {
  return readSafely(() => {
    if (typeof error !== "object" || error === null) return textOf(error);
    if (isAsyncReplyError(error)) return error.message;
    const { name, message, code } = error as { readonly [member: string]: unknown };
    const known = typeof name === "string" ? name : "Error";
    // Node's error has no message if it tried several addresses.
    const shown = typeof code === "string" ? `${known} ${code}` : known;
    return typeof message === "string" && message !== "" ? `${shown}: ${message}` : shown;
  });
}

/** Returns a description of the cause of an error, one level deep, or undefined. Never throws. */
export function describeCause(error: unknown): string | undefined {
  let cause: unknown;
  try {
    cause = (error as { readonly cause?: unknown } | undefined)?.cause;
  } catch {
    return undefined;
  }
  return cause === undefined ? undefined : describeError(cause);
}

/** Returns the innermost stack frames of an error as one line, or undefined. Never throws. */
export function describeStack(error: unknown): string | undefined {
  try {
    const { stack } = error as { readonly stack?: unknown };
    if (typeof stack !== "string") return undefined;
    const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
    return frames.length === 0
      ? undefined
      : frames
          .slice(0, MAX_FRAMES)
          .map((line) => line.trim())
          .join(" < ");
  } catch {
    return undefined;
  }
}

function readSafely(read: () => string): string {
  try {
    const text = read();
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  } catch {
    return "an unreadable error";
  }
}
