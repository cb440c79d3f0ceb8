import type { AsyncReplyError } from "../errors.js";
import { invalidOption, misuse, shown } from "../options.js";

/** Segment of a path pattern: fixed text, or a field that matches any text. */
export type PathSegment = { readonly text: string } | { readonly field: string };

/** Values of the path fields of a request by name, percent-decoded. */
export type PathParams = Readonly<Record<string, string>>;

/** Names of the fields of a path: `"accountId"` for `"/accounts/{accountId}/exports"`. */
export type PathFields<Path extends string> = Path extends `${string}{${infer Field}}${infer Rest}`
  ? Field | PathFields<Rest>
  : never;

/**
 * Fields of a path that are not required members of the input with the type string, number or boolean. `never` if
 * nothing is known about the input.
 */
export type UnboundPathFields<Path extends string, Input> = unknown extends Input
  ? never
  : {
      [Field in PathFields<Path>]: Field extends keyof Input
        ? [Input[Field]] extends [string | number | boolean]
          ? never
          : Field
        : Field;
    }[PathFields<Path>];

const TEXT = /^[A-Za-z0-9._~-]+$/;
const FIELD = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
const MAX_FIELDS = 16;

/**
 * Splits a path such as `/accounts/{accountId}/exports` into its segments.
 *
 * Throws `INVALID_OPTION`.
 */
export function parsePathPattern(path: string): readonly PathSegment[] {
  if (typeof path !== "string") throw invalidOption("path", "a path such as `/orders`", path);
  if (!path.startsWith("/")) throw invalid(path, "does not begin with a slash");
  if (path.endsWith("/")) throw invalid(path, "ends with a slash");
  const segments = path
    .slice(1)
    .split("/")
    .map((segment) => parseSegment(path, segment));
  const fields = segments.flatMap((segment) => ("field" in segment ? [segment.field] : []));
  const repeated = fields.find((field, index) => fields.indexOf(field) !== index);
  if (repeated !== undefined) throw invalid(path, `has the field {${repeated}} more than once`);
  if (fields.length > MAX_FIELDS)
    throw invalid(path, `has ${fields.length} fields; at most ${MAX_FIELDS} are allowed`);
  return segments;
}

/** Returns the names of the fields of a path pattern, in order. */
export function pathFields(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, field = ""]) => field);
}

function parseSegment(path: string, segment: string): PathSegment {
  const [, field] = FIELD.exec(segment) ?? [];
  if (field !== undefined) return { field };
  if (TEXT.test(segment)) return { text: segment };
  if (segment === "") throw invalid(path, "has an empty segment");
  if (/[{}]/.test(segment))
    throw invalid(
      path,
      `has the segment "${segment}". A field is a whole segment, named like a variable: \`/accounts/{accountId}\``,
    );
  throw invalid(
    path,
    `has the segment "${segment}". A segment has one or more characters of \`A-Za-z0-9._~-\`, or is a field`,
  );
}

function invalid(path: string, problem: string): AsyncReplyError {
  const example = "Pass a path such as `/orders` or `/accounts/{accountId}/exports`.";
  return misuse(`Option \`path\` is ${shown(path)}, which ${problem}. ${example}`);
}
