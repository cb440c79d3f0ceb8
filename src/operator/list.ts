import { flag, integer, optional } from "../contract/option-values.js";
import { invalidOption, misuse, type OptionTable, present, readOptions } from "../contract/options.js";
import type { ListedOperation, ListPosition, ListRequest } from "../ports/operation-reads.js";
import { parseCursor, toCursor } from "../protocol/list-cursor.js";
import type { OperatorContext } from "./context.js";
import {
  type Filter,
  filterTable,
  isAsRedriven,
  isChosen,
  type ReadMembers,
  scan,
  toRequest,
} from "./filter.js";
import { type OperationSummary, type OperatorStatus, toSummary } from "./summary.js";

/** Filter and page of a list. Absent members do not narrow the list. */
export interface ListFilter<Name extends string = string> extends Filter<Name> {
  /** Only operations with this status. Default: any, or `failed` with `errorType` or `message`, which allow no other status. */
  readonly status?: OperatorStatus;
  /** Only operations that were run again, or only others. Default: both. */
  readonly redriven?: boolean;
  /** Maximum number of operations on the page, 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** `cursor` of the previous page. Default: the first page. */
  readonly cursor?: string | undefined;
}

/** A page of operations, newest first: ordered by `createdAt`, then by id. */
export interface OperationPage {
  /**
   * At most `limit` operations. With `errorType`, `message`, `principal` or `redriven`, a page may hold fewer, or be empty, although
   * later pages have more.
   */
  readonly operations: readonly OperationSummary[];
  /** Start of the next page. Absent on the last page. */
  readonly cursor?: string;
}

const STATUSES: readonly unknown[] = [
  "preparing",
  "pending",
  "completed",
  "failed",
] satisfies OperatorStatus[];

/** Stores cannot filter by error type, message, principal or redrive, so this limits how many operations one page reads to find matches. */
const MAX_READ = 1_000;

/** Lists operations of any tenant: see `Operator.list`. */
export async function list(context: OperatorContext, filter: ListFilter = {}): Promise<OperationPage> {
  const read = readOptions<ReadFilter>(filter, { ...filterTable(context), ...OWN_OPTIONS }, "operator.list");
  const { limit, errorType, message, principal, redriven } = read;
  const found: ListedOperation[] = [];
  // Reading one more than fits on the page shows whether there is another page.
  const isScan = [errorType, message, principal, redriven].some((value) => value !== undefined);
  const pageSize = isScan ? MAX_READ + 1 : limit + 1;
  const next = await scan(
    context,
    { request: toListRequest(read, pageSize), maxRead: MAX_READ },
    (operation) => {
      if (!isChosen(read, operation) || !isAsRedriven(redriven, operation)) return true;
      if (found.length === limit) return false;
      found.push(operation);
      return true;
    },
  );
  return { operations: found.map(toSummary), ...(next === undefined ? {} : { cursor: toCursor(next) }) };
}

type ReadFilter = Omit<ReadMembers<ListFilter>, "limit" | "cursor"> & {
  readonly limit: number;
  readonly cursor: ListPosition | undefined;
};

const OWN_OPTIONS: OptionTable<Pick<ReadFilter, "status" | "redriven" | "limit" | "cursor">> = {
  status: optional((value, name) => {
    if (STATUSES.includes(value)) return value as OperatorStatus;
    throw invalidOption(name, `one of ${STATUSES.join(", ")}`, value);
  }),
  redriven: optional(flag(false)),
  limit: integer(100, 1_000, "; use `cursor` to read more"),
  cursor: optional(readCursor),
};

/** Throws `INVALID_OPTION`. */
function readCursor(cursor: unknown): ListPosition {
  const position = parseCursor(cursor);
  if (position !== undefined) return position;
  throw invalidOption("cursor", "the `cursor` of an earlier result, unchanged", cursor);
}

/** Only failed operations have a type of error and a message. */
function toListRequest(
  { status, redriven: _, cursor: after, ...filter }: ReadFilter,
  limit: number,
): ListRequest {
  const ofFailed = (["errorType", "message"] as const).find((name) => filter[name] !== undefined);
  if (ofFailed !== undefined && status !== undefined && status !== "failed")
    throw misuse(
      `The filter \`${ofFailed}\` is only for failed operations. Remove it, or \`status: "${status}"\`.`,
    );
  const state = ofFailed === undefined ? status : "failed";
  return { ...toRequest(filter), limit, ...present({ state, after }) };
}
