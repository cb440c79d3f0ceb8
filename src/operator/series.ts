import { AsyncReplyError } from "../contract/errors.js";
import { flag, optional } from "../contract/option-values.js";
import { invalidOption, misuse, type OptionTable, present, readOptions } from "../contract/options.js";
import { type Histogram, quantile } from "../ports/histogram.js";
import { MINUTE_MS, type StepWork, type WorkCounts } from "../ports/minutes-store.js";
import { WEBHOOK_DELIVERY } from "../ports/webhooks.js";
import { checkKnown, type OperatorContext } from "./context.js";
import { readDate } from "./filter.js";

/** Options of `Operator.series`. */
export interface SeriesOptions<Name extends string = string> {
  /** Only this definition. Default: all that the operator knows. */
  readonly definition?: Name | undefined;
  /** Whether to include deliveries of webhooks, under `webhook.delivery`, if the operator does not know them. Default: false. */
  readonly internal?: boolean | undefined;
  /** Start of the range. The first step begins with the minute that contains it. */
  readonly from: Date;
  /** End of the range. The last minute contains it, unless it begins there. */
  readonly to: Date;
  /** Length of a step. A multiple of 60,000. Milliseconds. */
  readonly stepMs: number;
}

/** Durations that 50, 95 and 99 % did not exceed, up to 12 % too high. Milliseconds. */
export interface Quantiles {
  /** Median. */
  readonly p50Ms: number;
  /** 95th percentile. */
  readonly p95Ms: number;
  /** 99th percentile. */
  readonly p99Ms: number;
}

/** Counts and durations of one definition in one step. */
export interface SeriesStep<Name extends string = string> extends WorkCounts {
  /** Name of the definition. */
  readonly definition: Name;
  /** Start of the step. */
  readonly start: Date;
  /** Whether a worker served the definition. */
  readonly served: boolean;
  /** From the acceptance to the start of the first attempt, with `delayMs`. Absent if none started. */
  readonly waiting?: Quantiles;
  /** How long processors ran. Absent if none ended. */
  readonly running?: Quantiles;
  /** From the acceptance to the end, unless it was a cancellation. Absent if none ended. */
  readonly total?: Quantiles;
}

const MAX_STEPS = 2_000;

/** Returns how the options are read. */
function optionsTable(context: OperatorContext): OptionTable<SeriesOptions> {
  return {
    definition: optional((name) => checkKnown(context, name)),
    internal: flag(false),
    from: readDate,
    to: readDate,
    stepMs: (value, name) => {
      const stepMs = value as number;
      if (Number.isSafeInteger(stepMs) && stepMs > 0 && stepMs % MINUTE_MS === 0) return stepMs;
      throw invalidOption(name, `a multiple of ${MINUTE_MS} milliseconds`, value);
    },
  };
}

/** Reads what all processes have counted: see `Operator.series`. */
export async function series(
  context: OperatorContext,
  options: SeriesOptions,
): Promise<readonly SeriesStep[]> {
  const { definition, internal, stepMs, ...range } = readOptions(
    options,
    optionsTable(context),
    "operator.series",
  );
  const from = Math.floor(range.from.getTime() / MINUTE_MS) * MINUTE_MS;
  const to = Math.ceil(range.to.getTime() / MINUTE_MS) * MINUTE_MS;
  if (from >= to) throw misuse("Option `to` of operator.series must be later than `from`.");
  const steps = Math.ceil((to - from) / stepMs);
  if (steps > MAX_STEPS)
    throw misuse(
      `The range of operator.series has ${steps} steps. Pass a larger \`stepMs\`, or a shorter range of at most ${MAX_STEPS} steps.`,
    );
  if (context.readMinutes === undefined)
    throw new AsyncReplyError(
      "NOT_SUPPORTED",
      "This back end keeps no minutes, so there is no series. Use metrics instead: see docs/observability.md.",
    );
  const asked = definition === undefined ? context.names : [definition];
  const definitions = internal ? [...new Set([...asked, WEBHOOK_DELIVERY])] : asked;
  const work = await context.readMinutes({ definitions, from, to, stepMs });
  const sorted = [...work].sort(
    (one, other) =>
      one.start - other.start || definitions.indexOf(one.definition) - definitions.indexOf(other.definition),
  );
  return sorted.map(toStep);
}

function toStep({ start, waiting, running, total, ...counts }: StepWork): SeriesStep {
  const times = present({
    waiting: quantilesOf(waiting),
    running: quantilesOf(running),
    total: quantilesOf(total),
  });
  return { ...counts, start: new Date(start), ...times };
}

function quantilesOf(histogram: Histogram): Quantiles | undefined {
  const [p50Ms, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) => quantile(histogram, share));
  if (p50Ms === undefined || p95Ms === undefined || p99Ms === undefined) return undefined;
  return { p50Ms, p95Ms, p99Ms };
}
