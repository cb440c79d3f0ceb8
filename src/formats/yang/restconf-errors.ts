import { parseFragmentPointer } from "../../contract/json/fragment-pointer.js";
import type { Problem } from "../../contract/problem.js";
import type { SerializeContext } from "../format.js";
import { isObject } from "../json-schema.js";
import { rootPlace } from "../schema-place.js";

/** Entry of `ietf-restconf:errors` (RFC 8040 §7.1). */
export interface RestconfError {
  readonly type: "transport" | "rpc" | "protocol" | "application";
  /** Error tag from RFC 6241 appendix A. */
  readonly tag: string;
  /** Name of the problem type. */
  readonly appTag: string;
  readonly message: string;
  /** Path from the root to the node that the error is about. */
  readonly path?: readonly PathStep[];
}

/** Node of an instance-identifier (RFC 7950 §9.13). */
export interface PathStep {
  readonly name: string;
  /** Position in a list, from 1. */
  readonly position?: number;
}

/** Returns a problem as RESTCONF errors: one for each violation, or one for the whole problem. */
export function restconfErrors(
  value: unknown,
  { name: root, schema }: Omit<SerializeContext, "kind">,
): RestconfError[] {
  const problem: Partial<Problem> = isObject(value) ? value : {};
  const {
    type = "",
    name: appTag = nameOf(type),
    title = "",
    detail = title,
    status = 0,
    errors = [],
  } = problem;
  const kind = { ...(KINDS[status] ?? FAILED), appTag };
  if (errors.length === 0) return [{ ...kind, message: detail }];
  return errors.map((violation) => {
    const segments = parseFragmentPointer(violation.pointer) ?? [];
    const subject = segments.length === 0 ? "" : `${segments.join("/")} `;
    return { ...kind, path: pathOf(segments, root, schema), message: subject + violation.detail };
  });
}

/** Returns the name of a problem that does not have it: the part of its type after the last delimiter. */
function nameOf(type: string): string {
  return type.slice(type.search(/[^/#:=]*$/));
}

type Kind = Pick<RestconfError, "type" | "tag">;

const FAILED: Kind = { type: "application", tag: "operation-failed" };

/**
 * Error type and tag by status. RFC 8040 §7 has the statuses of the tags, RFC 6241 appendix A the types that a tag may
 * have.
 */
const KINDS: Readonly<Record<number, Kind>> = {
  400: { type: "rpc", tag: "malformed-message" },
  401: { type: "protocol", tag: "access-denied" },
  403: { type: "protocol", tag: "access-denied" },
  404: { type: "protocol", tag: "invalid-value" },
  405: { type: "protocol", tag: "operation-not-supported" },
  406: { type: "protocol", tag: "invalid-value" },
  409: { type: "application", tag: "in-use" },
  413: { type: "protocol", tag: "too-big" },
  415: { type: "protocol", tag: "invalid-value" },
  422: { type: "application", tag: "invalid-value" },
  429: { type: "protocol", tag: "resource-denied" },
  431: { type: "protocol", tag: "too-big" },
  503: { type: "application", tag: "resource-denied" },
};

/** Returns the path to the node, or to its last known ancestor, because an identifier only names nodes that exist. */
function pathOf(segments: readonly string[], root: string, schema: SerializeContext["schema"]): PathStep[] {
  const path: PathStep[] = [{ name: root }];
  let place = rootPlace(schema);
  for (const segment of segments) {
    const last = path.at(-1);
    if (last !== undefined && place.types.has("array") && /^\d+$/.test(segment)) {
      path[path.length - 1] = { ...last, position: Number(segment) + 1 };
      place = place.item(Number(segment));
    } else {
      place = place.member(segment);
      if (place.schemas.length === 0 || !/^[A-Za-z_][\w.-]*$/.test(segment)) break;
      path.push({ name: segment });
    }
  }
  return path;
}
