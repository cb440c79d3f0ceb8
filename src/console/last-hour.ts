import { isAsyncReplyError } from "../contract/errors.js";
import type { ConsoleContext } from "./data.js";
import type { Overview } from "./wire.js";

const MINUTE_MS = 60_000;
const MINUTES = 60;

/** Reads what ended in this minute and the 59 before it, and each minute of them. Returns nothing if the back end keeps no minutes. */
export async function readLastHour({
  operator,
  clock,
}: Pick<ConsoleContext, "operator" | "clock">): Promise<Pick<Overview, "lastHour" | "series">> {
  const thisMinute = Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS;
  const from = new Date(thisMinute - (MINUTES - 1) * MINUTE_MS);
  const to = new Date(thisMinute + MINUTE_MS);
  try {
    const [hour, minutes] = await Promise.all([
      operator.series({ from, to, stepMs: MINUTES * MINUTE_MS }),
      operator.series({ from, to, stepMs: MINUTE_MS }),
    ]);
    return {
      lastHour: hour.map(({ definition, completed, failed, served, total }) => ({
        definition,
        completed,
        failed,
        served,
        ...(total === undefined ? {} : { medianMs: total.p50Ms, p95Ms: total.p95Ms }),
      })),
      series: minutes
        .filter(({ completed, failed }) => completed + failed > 0)
        .map(({ start, definition, completed, failed }) => ({ start, definition, completed, failed })),
    };
  } catch (error) {
    if (isAsyncReplyError(error) && error.code === "NOT_SUPPORTED") return {};
    throw error;
  }
}
