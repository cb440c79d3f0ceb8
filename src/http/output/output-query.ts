import { AsyncReplyError } from "../../contract/errors.js";
import { BEGINNING, type OutputPosition, parsePosition } from "../../contract/output.js";

/** How a client reads an output. */
export interface OutputQuery {
  /** Place to read from. Undefined stands for the current end. */
  readonly after: OutputPosition | undefined;
  /** Whether and how the client waits for more. */
  readonly live: "long-poll" | "sse" | undefined;
  /** Cursor of an earlier reply. */
  readonly cursor: number | undefined;
}

/**
 * Parses the query of a request for an output. Ignores unknown parameters, as the protocol does: caches and proxies add some.
 *
 * Throws `INVALID_QUERY`.
 */
export function readOutputQuery(target: string): OutputQuery {
  const given = new URLSearchParams(target.includes("?") ? target.slice(target.indexOf("?") + 1) : "");
  const offset = once(given, "offset");
  const live = once(given, "live");
  const cursor = once(given, "cursor");
  if (live !== undefined && live !== "long-poll" && live !== "sse")
    throw invalid("live", "must be `long-poll` or `sse`");
  if (live !== undefined && offset === undefined)
    throw invalid("offset", "is required with `live`. To read from the beginning, send `offset=-1`");
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
    throw invalid("cursor", "must be copied from an earlier reply");
  return {
    after: offset === "now" ? undefined : readOffset(offset),
    live,
    cursor: cursor === undefined ? undefined : Number(cursor),
  };
}

function readOffset(offset = "-1"): OutputPosition {
  const position = offset === "-1" ? BEGINNING : parsePosition(offset);
  if (position !== undefined) return position;
  throw invalid("offset", "must be `-1`, `now`, or copied from an earlier reply");
}

function once(given: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = given.getAll(name);
  if (others.length > 0) throw invalid(name, "must not be repeated");
  return value;
}

function invalid(name: string, problem: string): AsyncReplyError {
  return new AsyncReplyError("INVALID_QUERY", `The query parameter \`${name}\` ${problem}.`);
}
