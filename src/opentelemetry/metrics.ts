import { type AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import type { Operator } from "../operator/operator.js";
import { SHARED } from "../protocol/shared.js";
import type { Service } from "../service/service.js";
import type { DeliverMessage, TracedWork } from "../telemetry/messages.js";
import type { BatchResult, Instrument, Meter } from "./api.js";
import { DEFINITION, OUTCOME, outcomeOf } from "./conventions.js";
import { METRICS, type MetricDescription } from "./metric-descriptions.js";
import { refusalOf } from "./spans.js";
import type { ChannelHandlers } from "./subscribe.js";

/** From quick work to work of a day. Seconds. The default boundaries of OpenTelemetry are meant for milliseconds. */
const BOUNDARIES = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];

/** Creates the handlers that turn the messages of the channels into counters and histograms. */
export function createMetrics(meter: Meter): ChannelHandlers {
  const counter = ({ name, ...options }: MetricDescription): Pick<Instrument, "add"> =>
    meter.createCounter(name, options);
  const histogram = ({ name, ...options }: MetricDescription): Pick<Instrument, "record"> =>
    meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: [...BOUNDARIES] } });
  const submissions = counter(METRICS.submissions);
  const refusals = counter(METRICS.refusals);
  const attempts = counter(METRICS.attempts);
  const processDuration = histogram(METRICS.processDuration);
  const queueDuration = histogram(METRICS.queueDuration);
  const operationDuration = histogram(METRICS.operationDuration);
  const deliveries = counter(METRICS.deliveries);
  const deliveryDuration = histogram(METRICS.deliveryDuration);
  const stopwatch = createStopwatch();

  return {
    submit: {
      asyncEnd: ({ definition, outcome = "refused", error }) => {
        submissions.add(1, { [DEFINITION]: definition, [OUTCOME]: outcome });
        if (outcome !== "refused") return;
        refusals.add(1, { [DEFINITION]: definition, "error.type": refusalOf(error).problem });
      },
    },
    process: {
      start: (message) => {
        const { definition, attempt, createdAt } = message;
        stopwatch.start(message);
        if (attempt === 1) queueDuration.record(secondsSince(createdAt), { [DEFINITION]: definition });
      },
      asyncEnd: (message) => {
        const attributes = { [DEFINITION]: message.definition, [OUTCOME]: outcomeOf(message) };
        processDuration.record(stopwatch.read(message), attributes);
      },
    },
    settle: {
      asyncEnd: ({ definition, createdAt, outcome = "lost" }) => {
        const attributes = { [DEFINITION]: definition, [OUTCOME]: outcome };
        attempts.add(1, attributes);
        if (outcome === "completed" || outcome === "failed")
          operationDuration.record(secondsSince(createdAt), attributes);
      },
    },
    deliver: {
      start: stopwatch.start,
      asyncEnd: (message) => {
        const attributes = { [DEFINITION]: message.definition, [OUTCOME]: deliveryOutcome(message) };
        deliveries.add(1, attributes);
        deliveryDuration.record(stopwatch.read(message), attributes);
      },
    },
  };
}

/**
 * Returns what became of an attempt to deliver. `skipped`: the tenant has no endpoint. `postponed`: it does not count,
 * because nothing was sent.
 */
function deliveryOutcome({ error, status }: DeliverMessage): string {
  if (error === undefined) return status === undefined ? "skipped" : "delivered";
  const { code, context } = isAsyncReplyError(error) ? error : ({} as Partial<AsyncReplyError>);
  if (code === "PERMANENT_FAILURE") return "failed";
  return context?.countAttempt === false ? "postponed" : "retried";
}

/** The clocks of the store and of this process may differ a little. */
function secondsSince(createdAt: number): number {
  return Math.max(0, Date.now() - createdAt) / 1_000;
}

/** Measures the time from the first message about some work to the last one. */
function createStopwatch(): {
  readonly start: (message: TracedWork) => void;
  /** Returns the time since the start. Seconds. */
  readonly read: (message: TracedWork) => number;
} {
  const startedAt = new WeakMap<TracedWork, number>();
  return {
    start: (message) => void startedAt.set(message, performance.now()),
    read: (message) => {
      const now = performance.now();
      return (now - (startedAt.get(message) ?? now)) / 1_000;
    },
  };
}

/** The parts of an operator that the gauges read. */
type MeasuredOperator = Pick<Operator, "stats"> & Partial<Pick<Operator, "settings">>;

/** Objects that the gauges read. */
export interface Measured {
  /** Counts due operations. Default: none; there are no gauges of the queue. */
  readonly operator?: MeasuredOperator | undefined;
  /** Knows its waiting requests. Default: none; there is no gauge of waiters. */
  readonly service?: Service | undefined;
}

/** Measures the queue and the waiters at each collection. Returns a function that ends it. */
export function startGauges(meter: Meter, { operator, service }: Measured): () => void {
  const gauge = ({ name, ...options }: MetricDescription): unknown =>
    meter.createObservableGauge(name, options);
  const ends: (() => void)[] = [];
  const measure = (instruments: unknown[], callback: (result: BatchResult) => void | Promise<void>): void => {
    meter.addBatchObservableCallback(callback, instruments);
    ends.push(() => meter.removeBatchObservableCallback(callback, instruments));
  };
  if (operator !== undefined) {
    const [depth, age] = [gauge(METRICS.queueDepth), gauge(METRICS.oldestDueAge)];
    const [running, limit, paused] = [METRICS.running, METRICS.runningLimit, METRICS.paused].map(gauge);
    measure([depth, age, running, limit, paused], async (result) => {
      for (const counts of await operator.stats()) {
        const { definition, oldestDueMs = 0 } = counts;
        const attributes = { [DEFINITION]: definition };
        result.observe(depth, counts.due.count, attributes);
        result.observe(age, oldestDueMs / 1_000, attributes);
        result.observe(running, counts.running.count, attributes);
        result.observe(paused, counts.paused === undefined ? 0 : 1, attributes);
        const most = operator.settings?.[definition]?.limits?.running;
        if (most !== undefined) result.observe(limit, most, attributes);
      }
    });
  }
  if (service !== undefined) {
    const waiters = gauge(METRICS.waiters);
    measure([waiters], (result) => result.observe(waiters, service[SHARED].hub.waiters));
  }
  return () => {
    for (const end of ends) end();
  };
}
