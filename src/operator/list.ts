import {
  checkOptions,
  invalidOption,
  misuse,
  type OptionNames,
  positiveInteger,
} from "../contract/options.js";
import type { ListedOperation, ListRequest } from "../ports/operation-store.js";
import { toCursor } from "../protocol/list-cursor.js";
import type { OperatorContext } from "./context.js";
import {
  checkFilter,
  FILTER_NAMES,
  type Filter,
  hasErrorType,
  readCursor,
  scan,
  toRequest,
} from "./filter.js";
import { type OperationSummary, type OperatorStatus, present, toSummary } from "./views.js";

/** Filter and page of a list. Absent members do not narrow the list. */
export interface ListFilter<Name extends string = string> extends Filter<Name> {
  /** Only operations with this status. Default: any, or `failed` with `errorType`, which allows no other status. */
  readonly status?: OperatorStatus;
  /** Maximum number of operations on the page, 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** `cursor` of the previous page. Default: the first page. */
  readonly cursor?: string | undefined;
}

/** A page of operations, newest first: ordered by `createdAt`, then by id. */
export interface OperationPage {
  /**
   * At most `limit` operations. With `errorType` a page may hold fewer, or be empty, although later pages have more.
   */
  readonly operations: readonly OperationSummary[];
  /** Start of the next page. Absent on the last page. */
  readonly cursor?: string;
}

const LIST_NAMES: OptionNames<ListFilter> = { ...FILTER_NAMES, status: true, limit: true, cursor: true };
const STATUSES: readonly unknown[] = [
  "preparing",
  "pending",
  "completed",
  "failed",
] satisfies OperatorStatus[];

/** Stores cannot filter by error type, so this limits how many operations one page reads to find matches. */
const MAX_READ = 1_000;
const MAX_LIMIT = 1_000;

/** Lists operations of any tenant: see `Operator.list`. */
export async function list(context: OperatorContext, filter: ListFilter = {}): Promise<OperationPage> {
  checkOptions(filter, LIST_NAMES, "operator.list");
  checkFilter(context, filter);
  checkStatus(filter);
  const limit = readLimit(filter.limit);
  const { errorType } = filter;
  const found: ListedOperation[] = [];
  // Reading one more than fits on the page shows whether there is another page.
  const pageSize = errorType === undefined ? limit + 1 : MAX_READ + 1;
  const next = await scan(
    context,
    { request: toListRequest(filter, pageSize), maxRead: MAX_READ },
    (operation) => {
      if (errorType !== undefined && !hasErrorType(operation, errorType)) return true;
      if (found.length === limit) return false;
      found.push(operation);
      return true;
    },
  );
  return { operations: found.map(toSummary), ...(next === undefined ? {} : { cursor: toCursor(next) }) };
}

function toListRequest(filter: ListFilter, limit: number): ListRequest {
  const { errorType, status: state = errorType === undefined ? undefined : "failed", cursor } = filter;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  return { ...toRequest(filter), limit, ...present({ state, after }) };
}

function checkStatus({ status, errorType }: ListFilter): void {
  if (status === undefined) return;
  if (!STATUSES.includes(status)) throw invalidOption("status", `one of ${STATUSES.join(", ")}`, status);
  if (errorType !== undefined && status !== "failed")
    throw misuse(`Only failed operations have an \`errorType\`. Remove it, or \`status: "${status}"\`.`);
}

function readLimit(value: number | undefined): number {
  const limit = positiveInteger("limit", value, 100);
  if (limit <= MAX_LIMIT) return limit;
  throw invalidOption("limit", `at most ${MAX_LIMIT}; use \`cursor\` to read more`, value);
}
