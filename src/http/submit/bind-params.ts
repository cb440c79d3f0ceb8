import { contractViolation } from "../../contract/contract-violation.js";
import type { JsonSchema } from "../../contract/definition/definition.js";
import type { PathParams } from "../../contract/definition/path-pattern.js";
import type { AsyncReplyError } from "../../contract/errors.js";
import { canonicalJson } from "../../contract/json/canonical-json.js";
import { toFragmentPointer } from "../../contract/json/fragment-pointer.js";
import type { Violation } from "../../contract/problem.js";
import type { ParsedBody } from "../../formats/format.js";
import { JSON_NUMBERS, type Place, readTypedText, rootPlace } from "../../formats/schema-place.js";

type Members = Readonly<Record<string, unknown>>;

/**
 * Adds the path fields to a body as members. In the value they have the type of the JSON Schema; in the tree they are
 * text. The body may repeat them with the same values.
 *
 * Throws `CONTRACT_VIOLATION`.
 */
export function bindParams(
  { value, tree }: ParsedBody,
  params: PathParams,
  schema: JsonSchema | undefined,
): ParsedBody {
  if (!isObject(value)) throw violation([{ pointer: "#", detail: "must be an object" }]);
  const place = rootPlace(schema);
  const violations: Violation[] = [];
  const bound = Object.entries(params).map(([name, text]) => {
    const member = readText(text, place.member(name));
    if (member === undefined) violations.push(at(name, "is a number that cannot be kept exactly"));
    else if (Object.hasOwn(value, name) && canonicalJson(value[name]) !== canonicalJson(member))
      violations.push(at(name, "must equal the value in the path, or be left out of the body"));
    return [name, member] as const;
  });
  if (violations.length > 0) throw violation(violations);
  return {
    value: { ...value, ...Object.fromEntries(bound) },
    // In a format without types, a document without members is text.
    tree: tree === undefined ? undefined : { ...(isObject(tree) ? tree : {}), ...params },
  };
}

/** Converts the text of a path like text in XML. Returns undefined for a number that cannot be represented exactly. */
function readText(text: string, place: Place): unknown {
  try {
    return readTypedText(text, place, JSON_NUMBERS);
  } catch {
    return undefined;
  }
}

function at(name: string, detail: string): Violation {
  return { pointer: toFragmentPointer([name]), detail };
}

function violation(violations: readonly Violation[]): AsyncReplyError {
  const detail = "The path and the body are well formed, but not what this operation accepts.";
  return contractViolation(detail, violations);
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
