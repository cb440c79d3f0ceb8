import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import { present } from "../contract/present.js";
import type { SeriesStep } from "../operator/series.js";
import { readActions } from "./actions.js";
import type { Call, ConsoleContext } from "./context.js";
import type { Overview, Series, SeriesPoint } from "./wire.js";

const MINUTE_MS = 60_000;

/** Lengths of charts, and of their steps. Minutes. */
const RANGES: Readonly<Record<string, { readonly minutes: number; readonly step: number }>> = {
  hour: { minutes: 60, step: 1 },
  day: { minutes: 1_440, step: 20 },
  week: { minutes: 10_080, step: 120 },
};

type Reader = Pick<ConsoleContext, "operator" | "clock">;

/** Reads what ended in this minute and the 59 before it, and each minute of them. Returns nothing if the back end keeps no minutes. */
export async function readLastHour({
  operator,
  clock,
}: Reader): Promise<Pick<Overview, "lastHour" | "series">> {
  const { from, to } = rangeTo(clock.now(), 60);
  const read = (stepMs: number): Promise<readonly SeriesStep[]> => operator.series({ from, to, stepMs });
  try {
    const [hour, minutes] = await Promise.all([read(60 * MINUTE_MS), read(MINUTE_MS)]);
    return {
      lastHour: hour.map(({ definition, completed, failed, served, total }) => ({
        definition,
        completed,
        failed,
        served,
        ...(total === undefined ? {} : { medianMs: total.p50Ms, p95Ms: total.p95Ms }),
      })),
      series: pointsOf(minutes),
    };
  } catch (error) {
    if (isAsyncReplyError(error) && error.code === "NOT_SUPPORTED") return {};
    throw error;
  }
}

/** Reads what ended of one definition in an hour, a day or a week. The operator checks the definition. */
export async function readSeries(
  { operator, clock }: Reader,
  { query }: Pick<Call, "query">,
): Promise<Series> {
  const range = query.get("range") || "hour";
  if (!Object.hasOwn(RANGES, range))
    throw new AsyncReplyError(
      "INVALID_QUERY",
      `Unknown \`range\`. Known ranges: ${Object.keys(RANGES).join(", ")}.`,
    );
  const { minutes, step } = RANGES[range] as { readonly minutes: number; readonly step: number };
  const { from, to } = rangeTo(clock.now(), minutes);
  const stepMs = step * MINUTE_MS;
  const definition = query.get("definition") ?? "";
  const [steps, marks] = await Promise.all([
    operator.series({ definition, from, to, stepMs }),
    readActions({ operator }, { definition, from, to }),
  ]);
  return { from, to, stepMs, points: pointsOf(steps), ...present({ marks }) };
}

/** Returns the range of so many minutes that ends with this one. */
function rangeTo(now: number, minutes: number): { readonly from: Date; readonly to: Date } {
  const to = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
  return { from: new Date(to - minutes * MINUTE_MS), to: new Date(to) };
}

function pointsOf(steps: readonly SeriesStep[]): readonly SeriesPoint[] {
  return steps
    .filter(({ completed, failed }) => completed + failed > 0)
    .map(({ start, definition, completed, failed }) => ({ start, definition, completed, failed }));
}
