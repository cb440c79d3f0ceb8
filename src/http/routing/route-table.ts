import {
  type PathParams,
  type PathSegment,
  parsePathPattern,
} from "../../contract/definition/path-pattern.js";
import type { HttpRequest } from "../message/message.js";

/** Returns the path of the request target without its query. */
export function pathOf({ path }: Pick<HttpRequest, "path">): string {
  const query = path.indexOf("?");
  return query === -1 ? path : path.slice(0, query);
}

/** A path pattern and its target. */
export interface Route<Target> {
  readonly path: string;
  readonly target: Target;
}

/** The target at a path. */
export interface Match<Target> {
  readonly target: Target;
  /** Texts of the path fields. Undefined if one of them is malformed, so that the path names nothing. */
  readonly params: PathParams | undefined;
}

/** Params of a path without fields. */
export const NO_PARAMS: PathParams = Object.freeze({});

/** Finds targets by path. Callers try `fixed` first. */
export interface RouteTable<Target> {
  /** Returns the target of a path without fields. */
  fixed(path: string): Match<Target> | undefined;
  /** Returns the target of the most specific matching path with fields. */
  withFields(path: string): Match<Target> | undefined;
}

/**
 * Creates a route table. Fixed text wins over a field. A look-up takes one step per segment, regardless of the number
 * of patterns. Paths are compared as sent; only the texts of fields are percent-decoded.
 */
export function createRouteTable<Target>(routes: readonly Route<Target>[]): RouteTable<Target> {
  const fixed = new Map(routes.map(({ path, target }) => [path, { target, params: NO_PARAMS }]));
  const patterns = routes
    .filter(({ path }) => path.includes("{"))
    .map(({ path, target }) => ({ segments: parsePathPattern(path), target }));
  const root = patterns.length === 0 ? undefined : toNode(patterns, 0);
  return {
    fixed: (path) => fixed.get(path),
    withFields: (path) => root && find(root, path),
  };
}

/** Returns the texts of the fields, or undefined if the path does not match the pattern. */
export function matchPath(pattern: string, path: string): PathParams | undefined {
  return createRouteTable([{ path: pattern, target: undefined }]).withFields(path)?.params;
}

interface Pattern<Target> {
  readonly segments: readonly PathSegment[];
  readonly target: Target;
}

/** A node of the search tree: the possible continuations of a path prefix. */
interface Node<Target> {
  readonly byText: ReadonlyMap<string, Node<Target>>;
  readonly field: Node<Target> | undefined;
  /** The most specific pattern that ends here. */
  readonly end: Pattern<Target> | undefined;
}

/**
 * Builds the search tree. A pattern with a field is also added under the fixed texts of other patterns, so a look-up
 * never backtracks. If several patterns end in one node, the one with the fewest fields is the most specific.
 */
function toNode<Target>(patterns: readonly Pattern<Target>[], depth: number): Node<Target> {
  const [end] = patterns
    .filter(({ segments }) => segments.length === depth)
    .sort((a, b) => fieldCount(a) - fieldCount(b));
  const longer = patterns.filter(({ segments }) => segments.length > depth);
  const open = longer.filter((pattern) => textAt(pattern, depth) === undefined);
  const texts = new Set(longer.map((pattern) => textAt(pattern, depth)).filter((text) => text !== undefined));
  const matching = (text: string): Pattern<Target>[] =>
    longer.filter((pattern) => (textAt(pattern, depth) ?? text) === text);
  return {
    byText: new Map([...texts].map((text) => [text, toNode(matching(text), depth + 1)])),
    field: open.length === 0 ? undefined : toNode(open, depth + 1),
    end,
  };
}

function find<Target>(root: Node<Target>, path: string): Match<Target> | undefined {
  if (!path.startsWith("/")) return undefined;
  const sent = path.slice(1).split("/");
  let node: Node<Target> | undefined = root;
  for (const text of sent) node = node?.byText.get(text) ?? node?.field;
  const { end } = node ?? {};
  return end && bind(end, sent);
}

/** Decodes the fields. There are no `params` if a field is empty, a dot segment or malformed. */
function bind<Target>({ segments, target }: Pattern<Target>, sent: readonly string[]): Match<Target> {
  const params: [string, string][] = [];
  for (const [index, segment] of segments.entries()) {
    if (!("field" in segment)) continue;
    const text = decodeSegment(sent[index] ?? "");
    if (text === undefined) return { target, params: undefined };
    params.push([segment.field, text]);
  }
  return { target, params: Object.freeze(Object.fromEntries(params)) };
}

function textAt({ segments }: Pattern<unknown>, depth: number): string | undefined {
  const segment = segments[depth];
  return segment !== undefined && "text" in segment ? segment.text : undefined;
}

function fieldCount({ segments }: Pattern<unknown>): number {
  return segments.filter((segment) => "field" in segment).length;
}

/** One or more `pchar` (RFC 3986 §3.3). */
const SEGMENT = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/;

/**
 * Decodes one segment of a path. An encoded slash becomes part of the text. Returns undefined if the segment is empty,
 * malformed (RFC 3986 §3.3) or not UTF-8. Also returns undefined for `.` and `..`, encoded or not, because proxies and
 * clients remove them.
 */
function decodeSegment(segment: string): string | undefined {
  if (!SEGMENT.test(segment)) return undefined;
  try {
    const text = decodeURIComponent(segment);
    return text === "." || text === ".." ? undefined : text;
  } catch {
    return undefined;
  }
}
