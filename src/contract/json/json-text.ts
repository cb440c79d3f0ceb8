import { AsyncReplyError } from "../errors.js";
import type { JsonText } from "../operation.js";

/**
 * Returns a value from user code as JSON text. Rejects everything that `JSON.stringify` would silently drop or change,
 * such as a `Map`, a class instance without `toJSON`, `NaN` or an `undefined` item of an array, and lone surrogates. Like `JSON.stringify`,
 * drops members of plain objects that are `undefined`.
 *
 * Throws `INVALID_RESULT`, naming the path of the value.
 *
 * @param option Option that sets `maxBytes`, for the error message.
 */
export function toJsonText(value: unknown, maxBytes: number, option = "maxResultBytes"): JsonText {
  const text = stringify(value);
  const bytes = utf8Length(text);
  if (bytes <= maxBytes) return text;
  throw tooLarge(text, bytes, maxBytes, option);
}

function tooLarge(text: JsonText, bytes: number, maxBytes: number, option: string): AsyncReplyError {
  const detail = `The value takes ${bytes} bytes as JSON, and \`${option}\` allows ${maxBytes}.`;
  const advice = `Most of it is \`${largestPart(text)}\`. Raise \`${option}\`, or keep the data elsewhere and return a reference.`;
  return new AsyncReplyError("INVALID_RESULT", detail, { eventDetail: `${detail} ${advice}` });
}

/**
 * Parses JSON from a store. Hides the error of the engine, which would quote the text.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function parseStored(text: JsonText): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AsyncReplyError("CORRUPT_RECORD", "The store holds text that is not JSON.");
  }
}

/** Returns the number of bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // A surrogate pair is two units and four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

function stringify(value: unknown): string {
  let cause: unknown;
  try {
    const text = JSON.stringify(value, rejectLoss);
    if (text !== undefined && !(text.includes("\\ud") && hasHalfPair(text))) return text;
  } catch (error) {
    cause = error;
  }
  const found = explain(value);
  if (found !== undefined) throw invalid(found);
  throw invalid("The value threw an error or changed while it was converted to JSON.", cause);
}

const HALF_PAIR = "text with a lone surrogate";

/** Returns whether a JSON text has the escape of a lone surrogate, which replies in other formats could not show. */
function hasHalfPair(json: string): boolean {
  return /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(json);
}

function rejectLoss(this: unknown, _name: string, value: unknown): unknown {
  // Strings come first because most values are strings (measured).
  if (typeof value === "string") return value;
  const loss = lossOf(this, value);
  if (loss === undefined) return value;
  throw new TypeError(loss);
}

/** Returns what `JSON.stringify` would drop or change, in words for a client, or undefined if the value is safe. */
function lossOf(holder: unknown, value: unknown): string | undefined {
  if (typeof value === "object")
    return value === null || Array.isArray(value) || isPlain(value) ? undefined : kindOf(value);
  if (value === undefined) return Array.isArray(holder) ? "undefined" : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${value}`;
  if (typeof value === "string") return value.isWellFormed() ? undefined : HALF_PAIR;
  return typeof value === "boolean" ? undefined : `a ${typeof value}`;
}

/** Returns whether an object was created by a literal, by `JSON.parse` or with `Object.create(null)`, in any realm. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    // The `Object.prototype` of another realm.
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf"))
  );
}

/** Returns the kind of an object, without the name of a user's class, which is internal: a client may read this. */
function kindOf(value: object): string | undefined {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  // `JSON.stringify` unwraps these.
  if (/^(Number|String|Boolean)$/.test(tag)) return lossOf(tag, value.valueOf());
  return /^(Map|Set|Promise)$/.test(tag) ? `a ${tag}` : "a class instance";
}

/** Searches the value for the rejected part. Only runs after a rejection, because keeping paths is slow. */
function explain(value: unknown): string | undefined {
  const parents: { readonly value: unknown; readonly path: string }[] = [];
  let found: string | undefined;
  try {
    JSON.stringify(value, function (this: unknown, name: string, each: unknown) {
      while (parents[0] !== undefined && parents[0].value !== this) parents.shift();
      const [parent] = parents;
      const path = parent === undefined ? "$" : parent.path + stepTo(this, name);
      const isCycle = parents.some((other) => other.value === each);
      // An `undefined` root is a loss too.
      const loss = isCycle
        ? "an object that contains itself"
        : name.isWellFormed()
          ? lossOf(parent === undefined ? [] : this, each)
          : HALF_PAIR;
      if (loss !== undefined) {
        found = `\`${path}\` is ${loss}, which JSON cannot represent. Use plain JSON values, or give it a toJSON() method.`;
        throw found;
      }
      parents.unshift({ value: each, path });
      return each;
    });
  } catch {
    // Either the loss was found, or reading the value throws.
  }
  return found;
}

function invalid(detail: string, cause?: unknown): AsyncReplyError {
  return new AsyncReplyError("INVALID_RESULT", detail, { cause });
}

/**
 * Returns the path of the part that makes a value large, such as `$.rows`. Starts at the root, and descends as long as
 * one member takes more than half of the bytes.
 *
 * @param text Value as JSON.
 */
function largestPart(text: string): string {
  let value: unknown = JSON.parse(text);
  let length = text.length;
  let path = "$";
  for (;;) {
    const largest = largestMember(value);
    if (largest === undefined || largest.length <= length / 2) return path;
    path += stepTo(value, largest.name);
    value = largest.value;
    length = largest.length;
  }
}

interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly length: number;
}

function largestMember(value: unknown): Member | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const members = Object.entries(value).map(([name, each]) => ({
    name,
    value: each as unknown,
    length: JSON.stringify(each).length,
  }));
  return members.reduce<Member | undefined>(
    (largest, member) => (member.length > (largest?.length ?? 0) ? member : largest),
    undefined,
  );
}

/** Returns the step of a path from a value to one of its members: `.rows`, `["a b"]` or `[0]`. */
function stepTo(holder: unknown, name: string): string {
  if (/^[a-z_$][\w$]*$/i.test(name)) return `.${name}`;
  return `[${Array.isArray(holder) ? name : JSON.stringify(name)}]`;
}
