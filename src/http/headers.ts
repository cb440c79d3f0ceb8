import { AsyncReplyError } from "../core/errors.js";
import type { HeaderFields } from "./message.js";

/** The values of a field, one for each line; the name is in lower case. */
export function headerLines(headers: HeaderFields, name: string): readonly string[] {
  const values: string[] = [];
  if (!Array.isArray(headers)) collectFromObject(headers as Readonly<Record<string, string>>, name, values);
  else if (typeof headers[0] === "string") collectFromFlatList(headers as readonly string[], name, values);
  else
    for (const [key, value] of headers as readonly [string, string][]) if (is(key, name)) values.push(value);
  return values;
}

/** The value of a field whose lines combine to a list (RFC 9110 §5.3). */
export function header(headers: HeaderFields, name: string): string | undefined {
  const lines = headerLines(headers, name);
  return lines.length < 2 ? lines[0] : lines.join(", ");
}

/**
 * The value of a field that there can be only one of. Taking the first or the last of several would let two readers of one
 * request disagree.
 *
 * @throws AsyncReplyError `INVALID_HEADER`
 */
export function singleHeader(headers: HeaderFields, name: string): string | undefined {
  const lines = headerLines(headers, name);
  if (lines.length > 1)
    throw new AsyncReplyError("INVALID_HEADER", `The header field ${name} must not be repeated.`);
  return lines[0];
}

function collectFromObject(
  headers: Readonly<Record<string, string | readonly string[]>>,
  name: string,
  into: string[],
): void {
  for (const key in headers) {
    if (!is(key, name)) continue;
    const value = headers[key];
    if (typeof value === "string") into.push(value);
    else if (value !== undefined) into.push(...value);
  }
}

function collectFromFlatList(headers: readonly string[], name: string, into: string[]): void {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (is(headers[index] as string, name)) into.push(headers[index + 1] as string);
  }
}

function is(candidate: string, name: string): boolean {
  return candidate.length === name.length && (candidate === name || candidate.toLowerCase() === name);
}
