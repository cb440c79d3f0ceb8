import { HOUR_MS, MINUTE_MS, MINUTES_KEPT_MS } from "../ports/minutes-store.js";
import type { OperatorContext } from "./context.js";

/**
 * Returns the start of the last minute in which a process served a definition. Returns undefined if none has within 7 days, or if the
 * back end keeps no minutes. Epoch milliseconds.
 *
 * Throws `STORE_UNAVAILABLE`.
 */
export async function lastServed(
  { readMinutes, runtime }: Pick<OperatorContext, "readMinutes" | "runtime">,
  definition: string,
): Promise<number | undefined> {
  if (readMinutes === undefined) return undefined;
  const newest = async (from: number, to: number, stepMs: number): Promise<number | undefined> => {
    const steps = await readMinutes({ definitions: [definition], from, to, stepMs });
    const starts = steps.filter(({ served }) => served).map(({ start }) => start);
    return starts.length === 0 ? undefined : Math.max(...starts);
  };
  const to = (Math.floor(runtime.clock.now() / MINUTE_MS) + 1) * MINUTE_MS;
  const recently = await newest(to - HOUR_MS, to, MINUTE_MS);
  if (recently !== undefined) return recently;
  // A week of minutes would be more than a reply should hold.
  const hour = await newest(to - MINUTES_KEPT_MS, to - HOUR_MS, HOUR_MS);
  return hour === undefined ? undefined : newest(hour, hour + HOUR_MS, MINUTE_MS);
}
