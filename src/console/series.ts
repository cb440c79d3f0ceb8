import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import { present } from "../contract/options.js";
import type { SeriesOptions, SeriesStep } from "../operator/series.js";
import type { Clock } from "../ports/runtime.js";
import { readActions } from "./actions.js";
import type { Call, ConsoleContext } from "./context.js";
import type { EndedWork, Overview, Recent, Series } from "./wire.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Lengths of charts, and of their steps. Minutes. */
const RANGES: Readonly<Record<string, { readonly minutes: number; readonly step: number }>> = {
  hour: { minutes: 60, step: 1 },
  day: { minutes: 1_440, step: 20 },
  week: { minutes: 10_080, step: 120 },
};

type Reader = Pick<ConsoleContext, "operator" | "clock">;
type Asked = Pick<Call, "query">;

/** Reads what ended in the last hour, and in the range of the query in steps. Returns nothing if the back end keeps no minutes. */
export async function readRecent(
  { operator, clock }: Reader,
  { query }: Asked,
): Promise<Pick<Overview, "lastHour" | "recent">> {
  const range = rangeOf(query, clock);
  const { from, to, stepMs } = range;
  const sum = async (since: Date): Promise<readonly EndedWork[]> =>
    (await operator.series({ from: since, to, stepMs: to.getTime() - since.getTime() })).map(toEnded);
  const hourAgo = new Date(to.getTime() - HOUR_MS);
  try {
    const [work, lastHour, steps] = await Promise.all([
      sum(from),
      // The state of a definition does not depend on the range.
      from < hourAgo ? sum(hourAgo) : undefined,
      operator.series(range),
    ]);
    return { lastHour: lastHour ?? work, recent: { from, to, stepMs, work, points: pointsOf(steps) } };
  } catch (error) {
    if (isAsyncReplyError(error) && error.code === "NOT_SUPPORTED") return {};
    throw error;
  }
}

/** Reads what happened to operations of one definition in an hour, a day or a week. The operator checks the definition. */
export async function readSeries({ operator, clock }: Reader, { query }: Asked): Promise<Series> {
  const range = rangeOf(query, clock);
  const { from, to } = range;
  const definition = query.get("definition") ?? "";
  const [steps, marks] = await Promise.all([
    operator.series({ definition, ...range }),
    readActions({ operator }, { definition, from, to }),
  ]);
  const points = steps.map(({ start, accepted, completed, failed, cancelled, waiting, running, total }) => ({
    ...{ start, accepted, completed, failed, cancelled },
    ...present({ waiting, running, total }),
  }));
  return { ...range, points, ...present({ marks }) };
}

/** Returns the range that the query names, which ends with this minute. */
function rangeOf(query: URLSearchParams, clock: Clock): Omit<SeriesOptions, "definition"> {
  const name = query.get("range") || "hour";
  const range = Object.hasOwn(RANGES, name) ? RANGES[name] : undefined;
  if (range === undefined)
    throw new AsyncReplyError(
      "INVALID_QUERY",
      `Unknown \`range\`. Known ranges: ${Object.keys(RANGES).join(", ")}.`,
    );
  const to = (Math.floor(clock.now() / MINUTE_MS) + 1) * MINUTE_MS;
  return {
    from: new Date(to - range.minutes * MINUTE_MS),
    to: new Date(to),
    stepMs: range.step * MINUTE_MS,
  };
}

function toEnded({ definition, completed, failed, served, total }: SeriesStep): EndedWork {
  const times = present({ medianMs: total?.p50Ms, p95Ms: total?.p95Ms });
  return { definition, completed, failed, served, ...times };
}

function pointsOf(steps: readonly SeriesStep[]): Recent["points"] {
  return steps
    .filter(({ completed, failed }) => completed + failed > 0)
    .map(({ start, definition, completed, failed }) => ({ start, definition, completed, failed }));
}
