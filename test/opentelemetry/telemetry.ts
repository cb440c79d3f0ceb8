import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricReader,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { startTelemetry, type TelemetryOptions } from "async-request-reply/opentelemetry";
import { onTestFinished } from "vitest";

/** A value of a metric, with the last parts of the names of its attributes. */
export interface Measured {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Sum of a counter, value of a gauge, or number of measurements of a histogram. */
  readonly value: number;
}

/** Spans and metrics of this process, from the SDK of OpenTelemetry. */
export interface Recording {
  /** Spans that have ended, oldest first. */
  spans(): readonly ReadableSpan[];
  /** Returns the span with this name. Throws if there is not exactly one. */
  span(name: string): ReadableSpan;
  /** Collects the metrics, and returns the values of one. */
  values(metric: string): Promise<readonly Measured[]>;
  /** Collects the metrics, and returns their names. */
  names(): Promise<readonly string[]>;
}

/** Starts the SDK with exporters in memory and others, and telemetry. All end with the test. */
export function record(
  options: Omit<TelemetryOptions, "api"> = {},
  others: readonly MetricReader[] = [],
): Recording {
  const exporter = new InMemorySpanExporter();
  const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  });
  const metering = new MeterProvider({ readers: [reader, ...others] });
  const contexts = new AsyncLocalStorageContextManager().enable();
  api.context.setGlobalContextManager(contexts);
  api.trace.setGlobalTracerProvider(tracing);
  api.metrics.setGlobalMeterProvider(metering);
  const telemetry = startTelemetry({ api, ...options });
  onTestFinished(async () => {
    telemetry.stop();
    for (const global of [api.context, api.trace, api.metrics]) global.disable();
    await Promise.all([tracing.shutdown(), metering.shutdown()]);
  });

  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  async function collect() {
    metricExporter.reset();
    await metering.forceFlush();
    const scopes = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    return scopes.flatMap(({ metrics }) => metrics);
  }
  return {
    spans,
    span: (name) => {
      const [found, ...others] = spans().filter((span) => span.name === name);
      if (found !== undefined && others.length === 0) return found;
      const names = spans().map((span) => span.name);
      throw new Error(`Expected one span "${name}", and there are: ${names.join(", ")}.`);
    },
    values: async (metric) => {
      const found = (await collect()).find(({ descriptor }) => descriptor.name === metric);
      const points = found?.dataPoints ?? [];
      return points.map(({ attributes, value }) => ({
        attributes: Object.fromEntries(
          Object.entries(attributes).map(([name, each]) => [name.slice(name.lastIndexOf(".") + 1), each]),
        ),
        value: typeof value === "number" ? value : value.count,
      }));
    },
    names: async () => (await collect()).map(({ descriptor }) => descriptor.name),
  };
}
