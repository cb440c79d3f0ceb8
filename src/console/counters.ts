import { type OptionTable, readOptions, unchecked } from "../contract/option-table.js";
import { cancellationIn } from "../observing/log-events.js";
import { toObserver } from "../observing/to-observer.js";
import { systemClock } from "../platform/system-runtime.js";
import type { Observer, ServiceEvent } from "../ports/observer.js";
import type { Clock } from "../ports/runtime.js";
import { WEBHOOK_DELIVERY } from "../ports/webhooks.js";
import type { LastHour, SeriesPoint } from "./wire.js";

/** Options of {@link createCounters}. */
export interface CountersOptions {
  /** Clock, for tests. Default: that of the platform. */
  readonly clock?: Clock;
  /** Receives every event after it was counted. `false` turns events off. Default: logs warnings and errors to the console. */
  readonly observe?: Observer | false;
}

/** Counts the work that ended in this process within the last hour. Create them with {@link createCounters}. */
export interface Counters {
  /** Counts an event and passes it on. Pass it as `observe` of your services and workers. */
  readonly observe: Observer;
  /**
   * Returns the counts of the last hour, also by minute, oldest first and without empty ones. `countedMs`: for how long the process
   * has counted. Milliseconds, at most an hour.
   */
  read(): {
    readonly definitions: readonly LastHour[];
    readonly series: readonly SeriesPoint[];
    readonly countedMs: number;
  };
}

const OPTIONS: OptionTable<CountersOptions> = { clock: unchecked(), observe: unchecked() };
const MINUTE_MS = 60_000;
const MINUTES = 60;

interface Count {
  completed: number;
  failed: number;
  readonly tookMs: Histogram;
}

/** Counts of one minute, by name of the definition. */
interface Minute {
  readonly number: number;
  readonly counts: Map<string, Count>;
}

/**
 * Creates counters for the throughput and the latency that a console shows. They live in the memory of this process, so
 * they count the workers of this process since it started.
 *
 * Throws `INVALID_OPTION`.
 */
export function createCounters(options: CountersOptions = {}): Counters {
  const { clock = systemClock, observe } = readOptions<CountersOptions>(options, OPTIONS, "createCounters");
  const passOn = toObserver(observe, clock);
  const startedAt = clock.now();
  let minutes: readonly Minute[] = [];

  /** Drops what is older than an hour, or from the future because the clock was set back. */
  function recent(): readonly Minute[] {
    const current = minuteAt(clock.now());
    minutes = minutes.filter(({ number }) => number > current - MINUTES && number <= current);
    return minutes;
  }

  function countOf(definition: string): Count {
    const current = minuteAt(clock.now());
    let minute = recent().find(({ number }) => number === current);
    if (minute === undefined) {
      minute = { number: current, counts: new Map() };
      minutes = [...minutes, minute];
    }
    const known = minute.counts.get(definition) ?? { completed: 0, failed: 0, tookMs: createHistogram() };
    minute.counts.set(definition, known);
    return known;
  }

  function countEnd({ definition, isCompleted, createdAt }: End): void {
    const counted = countOf(definition);
    if (isCompleted) counted.completed += 1;
    else counted.failed += 1;
    count(counted.tookMs, clock.now() - createdAt);
  }

  return {
    observe: (event) => {
      const end = endIn(event);
      if (end !== undefined) countEnd(end);
      passOn(event);
    },
    read: () => ({
      definitions: summarize(recent()),
      series: recent().flatMap(pointsIn),
      countedMs: Math.max(0, Math.min(clock.now() - startedAt, MINUTES * MINUTE_MS)),
    }),
  };
}

/** The end of an operation, or of a delivery. */
interface End {
  readonly definition: string;
  readonly isCompleted: boolean;
  readonly createdAt: number;
}

/** Returns the end that an event reports, if it counts. */
function endIn(event: ServiceEvent): End | undefined {
  switch (event.event) {
    case "operation.completed":
      // Deliveries of tenants without an endpoint complete too.
      return event.definition === WEBHOOK_DELIVERY ? undefined : { ...event, isCompleted: true };
    case "webhook.delivered":
      return { ...event, definition: WEBHOOK_DELIVERY, isCompleted: true };
    case "operation.failed":
      // A client or an operator asked for a cancellation, so it is no failure.
      return cancellationIn(event) === undefined ? { ...event, isCompleted: false } : undefined;
    case "operation.expired":
      return { ...event, isCompleted: false };
    default:
      return undefined;
  }
}

function minuteAt(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

function pointsIn({ number, counts }: Minute): readonly SeriesPoint[] {
  const at = new Date(number * MINUTE_MS);
  return [...counts].map(([definition, { completed, failed }]) => ({ at, definition, completed, failed }));
}

function summarize(minutes: readonly Minute[]): readonly LastHour[] {
  const sums = new Map<string, Count>();
  for (const [definition, { completed, failed, tookMs }] of minutes.flatMap(({ counts }) => [...counts])) {
    const sum = sums.get(definition) ?? { completed: 0, failed: 0, tookMs: createHistogram() };
    sum.completed += completed;
    sum.failed += failed;
    add(sum.tookMs, tookMs);
    sums.set(definition, sum);
  }
  return [...sums].map(([definition, { completed, failed, tookMs }]) => ({
    definition,
    completed,
    failed,
    medianMs: quantile(tookMs, 0.5),
    p95Ms: quantile(tookMs, 0.95),
  }));
}

/** Each limit is 12 % above the previous one: 1 ms, 1.12 ms, … about 100 days. */
const GROWTH = 1.12;
const BUCKETS = 203;

/** Counts of durations by their size. Merging is adding. */
type Histogram = Uint32Array;

/** Creates an empty histogram. */
function createHistogram(): Histogram {
  return new Uint32Array(BUCKETS);
}

/** Counts a duration. Milliseconds. */
function count(histogram: Histogram, ms: number): void {
  const bucket = ms <= 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(GROWTH));
  const index = Math.min(bucket, BUCKETS - 1);
  histogram[index] = (histogram[index] ?? 0) + 1;
}

/** Adds the counts of one histogram to another. */
function add(histogram: Histogram, other: Histogram): void {
  for (const [index, value] of other.entries()) histogram[index] = (histogram[index] ?? 0) + value;
}

/** Returns a duration that this share of the counted ones did not exceed, or 0 for an empty histogram. Milliseconds. */
function quantile(histogram: Histogram, share: number): number {
  const total = histogram.reduce((sum, value) => sum + value, 0);
  let below = 0;
  for (const [index, value] of histogram.entries()) {
    below += value;
    if (value > 0 && below >= share * total) return Math.round(GROWTH ** index);
  }
  return 0;
}
