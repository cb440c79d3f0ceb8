import { flag, integer, optional } from "../contract/option-values.js";
import { readOptions } from "../contract/options.js";
import type { ProblemName } from "../contract/problem.js";
import type { ListedOperation } from "../ports/operation-reads.js";
import type { OperatorContext } from "./context.js";
import { failureOf } from "./failure.js";
import {
  FAILED,
  type Filter,
  filterTable,
  isAsRedriven,
  isFailure,
  MAX_FAILED,
  type ReadMembers,
  scan,
  toRequest,
} from "./filter.js";
import { maskMessage } from "./mask-message.js";

/**
 * Filter for the failed operations to group. Those of definitions that the operator does not know are left out, and
 * cancelled ones too, unless `errorType` is `cancelled`.
 */
export interface FailureFilter<Name extends string = string> extends Filter<Name> {
  /** Only failures that were run again, or only open ones. Default: both. */
  readonly redriven?: boolean;
  /** Maximum number of groups, 1 to 1,000. Default: 100. */
  readonly limit?: number;
}

/** Failed operations with the same definition, type of error and message, apart from numbers, ids and other variable parts. */
export interface FailureGroup<Name extends string = string> {
  /** Name of the definition. */
  readonly definition: Name;
  /** Type of the problem. Absent if no part of this package wrote the error. */
  readonly errorType?: ProblemName;
  /**
   * Message of the failures, or of their last attempts if all attempts failed. Variable parts are `*`. At most 256 UTF-16
   * code units. Can quote parts of a payload.
   */
  readonly message: string;
  /** Number of failures that were read. */
  readonly count: number;
  /** Number of those that were not run again. */
  readonly open: number;
  /** When the first of them failed. */
  readonly firstFailedAt: Date;
  /** When the last of them failed. */
  readonly lastFailedAt: Date;
  /** Id of the newest of them: the one that was created last. */
  readonly exampleId: string;
}

/** Failures by their reason. */
export interface Failures<Name extends string = string> {
  /** Groups with the most open failures first. */
  readonly groups: readonly FailureGroup<Name>[];
  /** Whether the groups hold every failure that matches. If false, older failures were not read, or small groups were left out. */
  readonly complete: boolean;
}

/** Groups failed operations: see `Operator.failures`. */
export async function failures(context: OperatorContext, filter: FailureFilter = {}): Promise<Failures> {
  const table = { ...filterTable(context), redriven: optional(flag(false)), limit: integer(100, 1_000) };
  const read = readOptions<ReadFilter>(filter, table, "operator.failures");
  const groups = new Map<string, FailureGroup>();
  const request = { ...toRequest(read), ...FAILED };
  const next = await scan(context, { request, maxRead: MAX_FAILED }, (operation) => {
    const isKnown = context.names.includes(operation.definition);
    if (isKnown && isFailure(read, operation) && isAsRedriven(read.redriven, operation))
      add(groups, operation);
    return true;
  });
  const sorted = [...groups.values()].sort(byUrgency);
  return { groups: sorted.slice(0, read.limit), complete: next === undefined && sorted.length <= read.limit };
}

type ReadFilter = Omit<ReadMembers<FailureFilter>, "limit"> & { readonly limit: number };

function add(groups: Map<string, FailureGroup>, operation: ListedOperation): void {
  const { id, definition, settledAt, createdAt, retriedBy } = operation;
  const { message, ...type } = failureOf(operation);
  const kind = { definition, ...type, message: maskMessage(message) };
  const key = JSON.stringify(kind);
  const failedAt = new Date(settledAt ?? createdAt);
  const none = { count: 0, open: 0, firstFailedAt: failedAt, lastFailedAt: failedAt, exampleId: id };
  const { count, open, firstFailedAt, lastFailedAt, exampleId } = groups.get(key) ?? none;
  groups.set(key, {
    ...kind,
    count: count + 1,
    open: open + (retriedBy === undefined ? 1 : 0),
    firstFailedAt: failedAt < firstFailedAt ? failedAt : firstFailedAt,
    lastFailedAt: failedAt > lastFailedAt ? failedAt : lastFailedAt,
    exampleId,
  });
}

function byUrgency(one: FailureGroup, other: FailureGroup): number {
  const newer = other.lastFailedAt.getTime() - one.lastFailedAt.getTime();
  return other.open - one.open || other.count - one.count || newer;
}
