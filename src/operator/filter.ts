import { parseStored } from "../contract/json/json-text.js";
import { invalidOption, misuse, type OptionNames, shown, suggestName } from "../contract/options.js";
import { PROBLEM_NAMES, type Problem, type ProblemName, problemType } from "../contract/problem.js";
import { TENANT_RULE, tenantProblem } from "../contract/tenant.js";
import type { ListedOperation, ListRequest } from "../ports/operation-store.js";
import { checkKnown, type OperatorContext } from "./context.js";

/** Filter shared by lists and bulk redrives. Absent members do not narrow the selection. */
export interface Filter<Name extends string = string> {
  /** Only operations of this definition. */
  readonly definition?: Name;
  /** Only operations of this tenant. */
  readonly tenant?: string;
  /** Only operations that failed with a problem of this type, such as `attempts-exhausted`. */
  readonly errorType?: ProblemName;
  /** Only operations created at this time or later. Epoch milliseconds. */
  readonly createdFrom?: number;
  /** Only operations created before this time. Epoch milliseconds. */
  readonly createdBefore?: number;
  /** Whether to include follow-ups and other operations that no tenant can see. Default: false. */
  readonly internal?: boolean;
}

/** Names of the members of a {@link Filter}. */
export const FILTER_NAMES: OptionNames<Filter> = {
  definition: true,
  tenant: true,
  errorType: true,
  createdFrom: true,
  createdBefore: true,
  internal: true,
};

/**
 * Checks the members of a filter.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkFilter(context: OperatorContext, filter: Filter): void {
  const { definition, tenant, errorType, createdFrom, createdBefore, internal } = filter;
  if (definition !== undefined) checkKnown(context, definition);
  if (tenant !== undefined) checkTenant(tenant);
  if (errorType !== undefined) checkErrorType(errorType);
  checkTime("createdFrom", createdFrom);
  checkTime("createdBefore", createdBefore);
  if (internal !== undefined && typeof internal !== "boolean")
    throw invalidOption("internal", "true or false", internal);
}

/** Returns the part of a filter that the store applies itself. */
export function toRequest({
  definition,
  tenant,
  createdFrom,
  createdBefore,
  internal,
}: Filter): Omit<ListRequest, "limit"> {
  return {
    ...(definition === undefined ? {} : { definition }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(createdFrom === undefined ? {} : { createdFrom }),
    ...(createdBefore === undefined ? {} : { createdBefore }),
    ...(internal === undefined ? {} : { internal }),
  };
}

/** Returns whether an operation failed with a problem of this type. */
export function hasErrorType({ error }: ListedOperation, name: ProblemName): boolean {
  if (error === undefined) return false;
  const { type } = (parseStored(error) ?? {}) as Partial<Problem>;
  return type === problemType(name);
}

function checkTenant(tenant: unknown): void {
  const problem = tenantProblem(tenant);
  if (problem !== undefined) throw misuse(`Option \`tenant\` ${problem}. ${TENANT_RULE}`);
}

function checkErrorType(name: unknown): void {
  if (typeof name !== "string")
    throw invalidOption("errorType", "the name of a problem type, such as `attempts-exhausted`", name);
  if (!PROBLEM_NAMES.includes(name))
    throw misuse(`Unknown problem type ${shown(name)}. ${suggestName("problem types", name, PROBLEM_NAMES)}`);
}

function checkTime(name: string, value: unknown): void {
  if (value === undefined || Number.isFinite(value)) return;
  throw invalidOption(name, "epoch milliseconds, such as `Date.now() - 3_600_000`", value);
}
