import { parseFragmentPointer } from "../../contract/json/fragment-pointer.js";
import type { Problem } from "../../contract/problem.js";
import type { SerializeContext } from "../format.js";
import { rootPlace } from "../schema-place.js";
import { isObject } from "./values.js";

/** One entry of `ietf-restconf:errors` (RFC 8040 §7.1). */
export interface RestconfError {
  readonly type: "transport" | "rpc" | "protocol" | "application";
  /** Of the list in RFC 6241 appendix A. */
  readonly tag: string;
  /** The name of the problem type. */
  readonly appTag: string;
  readonly message: string;
  /** The node that it is about, from the root on. */
  readonly path?: readonly PathStep[];
}

/** One node of an instance-identifier (RFC 7950 §9.13). */
export interface PathStep {
  readonly name: string;
  /** Which entry of a list, counted from 1. */
  readonly position?: number;
}

/** Turns a problem into the errors of RESTCONF: one for each violation, or else one for the whole. */
export function restconfErrors(
  value: unknown,
  { name, schema }: Omit<SerializeContext, "kind">,
): RestconfError[] {
  const problem: Partial<Problem> = isObject(value) ? value : {};
  const { type = "", title = "", detail = title, status = 0, errors = [] } = problem;
  const kind = { ...(KINDS[status] ?? FAILED), appTag: nameOf(type) };
  if (errors.length === 0) return [{ ...kind, message: detail }];
  return errors.map((violation) => {
    const segments = parseFragmentPointer(violation.pointer) ?? [];
    const subject = segments.length === 0 ? "" : `${segments.join("/")} `;
    return { ...kind, path: pathOf(segments, name, schema), message: subject + violation.detail };
  });
}

/** The name of a problem type: what stands behind the last delimiter of its URI. */
function nameOf(type: string): string {
  return type.slice(type.search(/[^/#:=]*$/));
}

type Kind = Pick<RestconfError, "type" | "tag">;

const FAILED: Kind = { type: "application", tag: "operation-failed" };

/** By status: RFC 8040 §7 has the statuses for the tags, RFC 6241 appendix A the types that a tag may have. */
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

/** The path to the node, or to the last one on the way to it that there is: an identifier names only what there is. */
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
