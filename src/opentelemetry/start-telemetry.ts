import { either, optional } from "../contract/option-values.js";
import {
  invalidOption,
  isObject,
  type OptionReader,
  type OptionTable,
  readOptions,
} from "../contract/options.js";
import type { Operator } from "../operator/operator.js";
import { SHARED } from "../protocol/shared.js";
import type { Service } from "../service/service.js";
import type { OpenTelemetryApi } from "./api.js";
import { SCHEMA_URL, SCOPE } from "./conventions.js";
import { createMetrics, startGauges } from "./metrics.js";
import { createSpans } from "./spans.js";
import { subscribe } from "./subscribe.js";

/** Options of {@link startTelemetry}. Only `api` is required. */
export interface TelemetryOptions {
  /** The module `@opentelemetry/api`, as in `import * as api from "@opentelemetry/api"`. */
  readonly api: OpenTelemetryApi;
  /**
   * How the spans of attempts and deliveries belong to the span of the submission. With `link`, each starts a trace and
   * links to the submission. With `parent`, all are in one trace, which can become very long and large. Default: `link`.
   */
  readonly relation?: "link" | "parent";
  /** Counts the operations that are due and that run, at each collection of metrics. Default: none; they are not measured. */
  readonly operator?: Pick<Operator, "stats"> & Partial<Pick<Operator, "settings">>;
  /** Service whose waiting requests are counted. Default: none; they are not measured. */
  readonly service?: Service;
}

/** Traces and metrics of this process. Create them with {@link startTelemetry}. */
export interface Telemetry {
  /** Stops creating spans and metrics. Spans of work in progress never end, so stop services and workers first. */
  stop(): void;
}

/** {@link TelemetryOptions} with their defaults. */
type Settings = Required<Pick<TelemetryOptions, "api" | "relation">> & {
  readonly [Name in "operator" | "service"]: TelemetryOptions[Name] | undefined;
};

const OPTIONS: OptionTable<Settings> = {
  api: withMembers(
    ["trace", "context", "metrics"],
    'the module `@opentelemetry/api`: `import * as api from "@opentelemetry/api"`',
  ),
  relation: either("link", "parent"),
  operator: optional(withMembers(["stats"], "the return value of `createOperator`")),
  service: optional(withMembers([SHARED], "the return value of `createService`")),
};

/**
 * Creates spans and metrics for every service and every worker of this process. Call it once per process, after the SDK
 * of OpenTelemetry has started.
 *
 * Throws `INVALID_OPTION`, also if the runtime has no tracing channels.
 */
export function startTelemetry(options: TelemetryOptions): Telemetry {
  const { api, relation, operator, service } = readOptions<Settings>(options, OPTIONS, "startTelemetry");
  const meter = api.metrics.getMeter(SCOPE, undefined, { schemaUrl: SCHEMA_URL });
  const ends = [
    subscribe(createSpans(api, relation)),
    subscribe(createMetrics(meter)),
    startGauges(meter, { operator, service }),
  ];
  return {
    stop: () => {
      for (const end of ends.splice(0)) end();
    },
  };
}

/** Reads an object with these members. */
function withMembers<Value>(members: readonly (string | symbol)[], expected: string): OptionReader<Value> {
  return (value, name) => {
    if (isObject(value) && members.every((member) => member in value)) return value as Value;
    throw invalidOption(name, expected, value);
  };
}
