import type { Operator } from "../operator/operator.js";
import { SHARED } from "../protocol/shared.js";
import type { Service } from "../service/service.js";
import type { BatchResult, Meter } from "./api.js";
import { DEFINITION } from "./conventions.js";
import { METRICS, type MetricDescription } from "./metric-descriptions.js";

/** Objects that the gauges read. */
export interface Measured {
  /** Counts due operations. Default: none; there are no gauges of the queue. */
  readonly operator?: Pick<Operator, "stats"> | undefined;
  /** Knows its waiting requests. Default: none; there is no gauge of waiters. */
  readonly service?: Pick<Service, typeof SHARED> | undefined;
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
    measure([depth, age], async (result) => {
      for (const { definition, due, oldestDueMs = 0 } of await operator.stats()) {
        const attributes = { [DEFINITION]: definition };
        result.observe(depth, due.count, attributes);
        result.observe(age, oldestDueMs / 1_000, attributes);
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
