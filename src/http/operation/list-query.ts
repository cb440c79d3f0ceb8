import { AsyncReplyError } from "../../contract/errors.js";
import type { OperationStatus } from "../../contract/operation.js";
import type { ListPosition } from "../../ports/operation-reads.js";
import { parseCursor } from "../../protocol/list-cursor.js";

/** The query of a list request. */
export interface ListQuery {
  readonly definition?: string;
  readonly status?: OperationStatus;
  readonly after?: ListPosition;
  readonly limit: number;
  /** Parameters as sent, without the cursor. */
  readonly given: URLSearchParams;
}

const STATUSES: readonly string[] = ["pending", "completed", "failed"] satisfies OperationStatus[];
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/**
 * Parses the query of a list request. Refuses unknown parameters, because a misspelled filter would list too much.
 *
 * Throws `INVALID_QUERY`.
 */
export function readListQuery(target: string, definitions: readonly string[]): ListQuery {
  const given = new URLSearchParams(target.includes("?") ? target.slice(target.indexOf("?") + 1) : "");
  const { definition, status, cursor, limit } = namedOnce(given);
  if (definition !== undefined && !definitions.includes(definition))
    throw invalid("definition", "must be the name of a definition");
  if (status !== undefined && !isStatus(status))
    throw invalid("status", "must be `pending`, `completed` or `failed`");
  const after = cursor === undefined ? undefined : readCursor(cursor);
  given.delete("cursor");
  return {
    ...(definition === undefined ? {} : { definition }),
    ...(status === undefined ? {} : { status }),
    ...(after === undefined ? {} : { after }),
    limit: limit === undefined ? DEFAULT_LIMIT : readLimit(limit),
    given,
  };
}

function readCursor(cursor: string): ListPosition {
  const position = parseCursor(cursor);
  if (position !== undefined) return position;
  throw invalid("cursor", "must be copied from the `Link` of an earlier page");
}

function readLimit(text: string): number {
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw invalid("limit", `must be a whole number from 1 to ${MAX_LIMIT}`);
}

const PARAMETERS = ["definition", "status", "cursor", "limit"] as const;

function namedOnce(given: URLSearchParams): Partial<Record<(typeof PARAMETERS)[number], string>> {
  const known: readonly string[] = PARAMETERS;
  for (const name of given.keys()) {
    if (!known.includes(name))
      throw new AsyncReplyError(
        "INVALID_QUERY",
        `The query has an unknown parameter. Known parameters: ${known.join(", ")}.`,
      );
    if (given.getAll(name).length > 1) throw invalid(name, "must not be repeated");
  }
  return Object.fromEntries(given);
}

function isStatus(text: string): text is OperationStatus {
  return STATUSES.includes(text);
}

function invalid(name: string, problem: string): AsyncReplyError {
  return new AsyncReplyError("INVALID_QUERY", `The query parameter \`${name}\` ${problem}.`);
}
