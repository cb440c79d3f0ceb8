import { PROBLEM_NAMES } from "../../contract/problem.js";
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
