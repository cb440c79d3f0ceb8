import { parseStored } from "../contract/json/json-text.js";
import { TENANT_RULE, tenantProblem } from "../contract/operation.js";
import { checkDate, flag, optional } from "../contract/option-values.js";
import { invalidOption, misuse, type OptionTable, present, shown, suggestName } from "../contract/options.js";
import { PROBLEM_NAMES, type Problem, type ProblemName, problemType } from "../contract/problem.js";
import type { ListedOperation, ListPosition, ListRequest } from "../ports/operation-reads.js";
import { checkKnown, type OperatorContext } from "./context.js";
import { failureOf } from "./failure.js";
import { maskMessage } from "./mask-message.js";

/** Filter shared by lists and bulk redrives. Absent members do not narrow the selection. */
export interface Filter<Name extends string = string> {
  /** Only operations of this definition. */
  readonly definition?: Name;
  /** Only operations of this tenant. */
  readonly tenant?: string;
  /** Only operations that the principal with this id submitted. */
  readonly principal?: string;
  /** Only operations that failed with a problem of this type, such as `attempts-exhausted`. */
  readonly errorType?: ProblemName | undefined;
  /**
   * Only operations that failed with this message: the `message` of a group of failures, or the message of one operation,
   * which also finds those that differ only in numbers, ids and other variable parts.
   */
  readonly message?: string;
  /** Only operations created at this time or later. */
  readonly createdFrom?: Date;
  /** Only operations created before this time. */
  readonly createdBefore?: Date;
  /** Whether to include follow-ups and other operations that no tenant can see. Default: false. */
  readonly internal?: boolean;
}

/** Returns how the members of a filter are read. */
export function filterTable(context: OperatorContext): OptionTable<ReadMembers<Filter>> {
  return {
    definition: optional((name) => checkKnown(context, name)),
    tenant: optional(readTenant),
    principal: optional(readTenant),
    errorType: optional(readErrorType),
    message: optional(readMessage),
    createdFrom: optional(readDate),
    createdBefore: optional(readDate),
    internal: optional(flag(false)),
  };
}

/** Checked options, without defaults for those that are absent. */
export type ReadMembers<Options> = {
  readonly [Name in keyof Options]-?: Required<Options>[Name] | undefined;
};

/** Returns the part of a filter that the store applies itself. */
export function toRequest(filter: ReadMembers<Filter>): Omit<ListRequest, "limit"> {
  const { definition, tenant, internal } = filter;
  const [createdFrom, createdBefore] = [filter.createdFrom?.getTime(), filter.createdBefore?.getTime()];
  return present({ definition, tenant, createdFrom, createdBefore, internal });
}

/** Returns whether an operation matches the part of a filter that no store applies. */
export function isChosen(
  { principal, errorType, message }: Pick<ReadMembers<Filter>, "principal" | "errorType" | "message">,
  operation: ListedOperation,
): boolean {
  if (principal !== undefined && operation.principal !== principal) return false;
  if (errorType !== undefined && !hasErrorType(operation, errorType)) return false;
  return message === undefined || hasMessage(operation, message);
}

/** Masking a masked message again can change it, so both are compared. */
function hasMessage(operation: ListedOperation, message: string): boolean {
  if (operation.error === undefined) return false;
  const masked = maskMessage(failureOf(operation).message);
  return masked === message || masked === maskMessage(message);
}

/**
 * Returns whether a failed operation matches a filter, and is a failure to repair. Cancelled operations are not, unless
 * `errorType` asks for them.
 */
export function isFailure(filter: ReadMembers<Filter>, operation: ListedOperation): boolean {
  if (!isChosen(filter, operation)) return false;
  return filter.errorType !== undefined || !hasErrorType(operation, "cancelled");
}

/** Returns whether an operation failed with a problem of this type. */
function hasErrorType({ error }: ListedOperation, name: ProblemName): boolean {
  if (error === undefined) return false;
  const { type } = (parseStored(error) ?? {}) as Partial<Problem>;
  return type === problemType(name);
}

/** Returns whether an operation was run again, or was not, as a filter asks. */
export function isAsRedriven(redriven: boolean | undefined, { retriedBy }: ListedOperation): boolean {
  return redriven === undefined || redriven === (retriedBy !== undefined);
}

/** How the failed operations of a redrive or a summary are read. */
export const FAILED: Pick<ListRequest, "state" | "limit"> = { state: "failed", limit: 200 };
/** Maximum number of failed operations that one call reads. */
export const MAX_FAILED = 10_000;

/** A list to read page by page. */
export interface Scan {
  readonly request: ListRequest;
  /** Maximum number of operations to read. */
  readonly maxRead: number;
}

/**
 * Reads a list until it ends, `maxRead` is reached, or `take` returns false. An operation for which `take` returned
 * false is left to a later scan. Returns the position to continue from, or undefined if the list has ended.
 */
export async function scan(
  { store }: OperatorContext,
  { request, maxRead }: Scan,
  take: (operation: ListedOperation) => boolean | Promise<boolean>,
): Promise<ListPosition | undefined> {
  let { after } = request;
  let read = 0;
  for (;;) {
    const page = await store.list(after === undefined ? request : { ...request, after });
    for (const operation of page) {
      if (read === maxRead || !(await take(operation))) return after;
      read += 1;
      after = { createdAt: operation.createdAt, id: operation.id };
    }
    if (page.length < request.limit) return undefined;
  }
}

/** Throws `INVALID_OPTION`. */
export function readDate(value: unknown, name: string): Date {
  return checkDate(name, value);
}

/** Ids of principals follow the rule of tenants. */
function readTenant(value: unknown, name: string): string {
  const problem = tenantProblem(value);
  if (problem === undefined) return value as string;
  throw misuse(`Option \`${name}\` ${problem}. ${TENANT_RULE}`);
}

function readMessage(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw invalidOption(name, "the message of a failure", value);
}

function readErrorType(name: unknown): ProblemName {
  if (typeof name !== "string")
    throw invalidOption("errorType", "the name of a problem type, such as `attempts-exhausted`", name);
  if (PROBLEM_NAMES.includes(name)) return name as ProblemName;
  // The `type` of a problem is a URI that ends with the name.
  const suggestion = suggestName("problem types", name.slice(name.indexOf("#") + 1), PROBLEM_NAMES);
  throw misuse(`Unknown problem type ${shown(name)}. ${suggestion}`);
}
