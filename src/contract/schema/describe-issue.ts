import { toFragmentPointer } from "../json/fragment-pointer.js";
import type { StandardIssue } from "./standard-schema.js";

/** Members of the issues of zod, valibot and arktype that come from the schema, not from the value. */
interface KnownIssue {
  readonly code?: unknown;
  readonly kind?: unknown;
  readonly type?: unknown;
  readonly expected?: unknown;
  readonly origin?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly inclusive?: unknown;
  readonly divisor?: unknown;
  readonly format?: unknown;
  readonly values?: unknown;
}

type Segment = PropertyKey | { readonly key: PropertyKey; readonly origin?: unknown };

/**
 * Describes an issue for events and logs: its place, and what the schema expects there. The message of an issue is left
 * out, because many validators quote the value in it.
 */
export function describeIssue(issue: StandardIssue): string {
  const path: readonly Segment[] = issue.path ?? [];
  const known = issue as KnownIssue;
  // The name of an unknown member is a part of the payload. zod reports the object, and valibot the member.
  if (known.code === "unrecognized_keys") return `${placeOf(path)}: has an unknown member`;
  if (known.expected === "never" && isKey(path.at(-1)))
    return `${placeOf(path.slice(0, -1))}: has an unknown member`;
  return `${placeOf(path)}: ${expectationOf(known)}`;
}

function isKey(segment: Segment | undefined): boolean {
  return typeof segment === "object" && segment.origin === "key";
}

function placeOf(path: readonly Segment[]): string {
  return toFragmentPointer(
    path.map((segment) => nameOf(typeof segment === "object" ? segment.key : segment)),
  );
}

/** Hides a name that looks like data, such as an address that is the key of a map. */
function nameOf(key: PropertyKey): PropertyKey {
  return typeof key !== "string" || /^([A-Za-z_][\w-]{0,63}|\d{1,6})$/.test(key) ? key : "*";
}

function expectationOf(issue: KnownIssue): string {
  const { code, kind, type, expected, origin, minimum, maximum, inclusive, divisor, format, values } = issue;
  const or = inclusive === false ? "" : "=";
  if (typeof expected === "string") return `expected ${expected}`;
  if (code === "too_small") return `expected ${origin} >${or} ${minimum}`;
  if (code === "too_big") return `expected ${origin} <${or} ${maximum}`;
  if (code === "not_multiple_of") return `expected multiple of ${divisor}`;
  if (code === "invalid_format") return `expected ${format}`;
  if (code === "invalid_value" && Array.isArray(values))
    return `expected one of ${values.map(quoted).join(", ")}`;
  if (kind === "validation" && typeof type === "string") return `violates ${type}`;
  return typeof code === "string" ? `violates ${code}` : "is refused by the schema";
}

function quoted(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
