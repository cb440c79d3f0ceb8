import { PROBLEM_NAMES } from "../../contract/problem.js";
import type { ListFilter, OperationPage } from "../../operator/list.js";
import type { Call, ConsoleContext } from "../context.js";
import type { Overview } from "../wire.js";

/** Types of problems that can end an operation. Others only refuse requests. */
const ERROR_TYPES: readonly string[] = PROBLEM_NAMES.slice(PROBLEM_NAMES.indexOf("work-failed"));

/** Reads the statistics, and what the caller and the back end can do. */
export async function readOverview(
  { operator, counters }: ConsoleContext,
  { access }: Call,
): Promise<Overview> {
  const { definitions, supports } = operator;
  return {
    operates: access === "operate",
    definitions,
    errorTypes: ERROR_TYPES,
    supports,
    ...(supports.stats ? { stats: await operator.stats() } : {}),
    ...(counters === undefined ? {} : { lastHour: counters.read() }),
  };
}

const PAGE = 50;

/** Reads a page of operations. The operator checks the filter. */
export function readList({ operator }: ConsoleContext, { query }: Call): Promise<OperationPage> {
  const text = (name: string): string | undefined => query.get(name) || undefined;
  const time = (name: string): number | undefined => {
    const value = text(name);
    return value === undefined ? undefined : Number(value);
  };
  const filter: Readonly<Record<string, unknown>> = {
    state: text("state"),
    definition: text("definition"),
    tenant: text("tenant"),
    errorType: text("errorType"),
    createdFrom: time("createdFrom"),
    createdBefore: time("createdBefore"),
    internal: query.get("internal") === "true",
    cursor: text("cursor"),
    limit: PAGE,
  };
  return operator.list(filter as ListFilter);
}
