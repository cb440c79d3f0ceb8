import type { OperationDefinition } from "../../contract/definition/definition.js";
import { type PathSegment, parsePathPattern } from "../../contract/definition/path-pattern.js";
import type { AsyncReplyError } from "../../contract/errors.js";
import { misuse } from "../../contract/options.js";
import { WEBHOOK_DELIVERY } from "../../ports/webhooks.js";

type Defined = Pick<OperationDefinition, "name" | "path">;

/**
 * Checks that every path leads to one definition. Two paths with fields may overlap only if one of them is more
 * specific in every segment that differs. Definitions cannot use the paths of the status endpoint, and no client can
 * submit deliveries of webhooks.
 *
 * Throws `INVALID_OPTION`, naming the definitions.
 */
export function checkPaths(definitions: readonly Defined[], statusPath: string): void {
  const reserved = [statusPath, `${statusPath}/{}`, `${statusPath}/{}/output`];
  for (const [index, one] of definitions.entries()) {
    if (one.name === WEBHOOK_DELIVERY)
      throw misuse(`The name "${one.name}" in \`definitions\` is reserved. Rename the definition.`);
    if (reserved.includes(one.path.replace(/\{[^}]*\}/g, "{}"))) throw reservedPath(one, statusPath);
    const other = definitions.slice(index + 1).find(({ path }) => compete(one.path, path));
    if (other !== undefined) throw ambiguous(one, other);
  }
}

/** Returns whether a request path can match both patterns and neither pattern is more specific. */
function compete(one: string, other: string): boolean {
  const a = parsePathPattern(one);
  const b = parsePathPattern(other);
  if (a.length !== b.length) return false;
  const pairs = a.map((segment, index) => [textOf(segment), textOf(b[index])] as const);
  if (pairs.some(([x, y]) => x !== undefined && y !== undefined && x !== y)) return false;
  const isMoreSpecific = pairs.some(([x, y]) => x !== undefined && y === undefined);
  const isLessSpecific = pairs.some(([x, y]) => x === undefined && y !== undefined);
  return isMoreSpecific === isLessSpecific;
}

function textOf(segment: PathSegment | undefined): string | undefined {
  return segment !== undefined && "text" in segment ? segment.text : undefined;
}

function ambiguous(one: Defined, other: Defined): AsyncReplyError {
  const detail =
    one.path === other.path
      ? `share the path "${one.path}": ${one.name} and ${other.name}. Every definition needs its own path.`
      : `match the same requests: "${one.path}" of ${one.name} and "${other.path}" of ${other.name}. ` +
        "Give one of them a different fixed segment.";
  return misuse(`Two \`definitions\` ${detail}`);
}

function reservedPath({ name, path }: Defined, statusPath: string): AsyncReplyError {
  const detail = `The definition ${name} has the path "${path}", which belongs to the status endpoint. Change this path, or change \`statusPath\` from "${statusPath}".`;
  return misuse(`Option \`definitions\`: ${detail}`);
}
