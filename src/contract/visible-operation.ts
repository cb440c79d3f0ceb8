import { parseStored } from "./json/json-text.js";
import { isTerminal, type Operation, type OperationState } from "./operation.js";
import type { OutputLink } from "./output.js";
import { type Problem, shownProblem } from "./problem.js";

/** Part of an operation that every reader sees: clients, code in process and operators. `Time` is the type of its times. */
export interface VisibleSummary<Time> {
  readonly operationId: string;
  readonly status: OperationState;
  readonly definition: string;
  readonly createdAt: Time;
  /** Number of attempts begun. Attempts that a stopping worker released do not count. */
  readonly attempt: number;
  /** Absent until the operation is terminal. */
  readonly finishedAt?: Time;
  /** Present while the operation is pending and a client or an operator has requested cancellation. */
  readonly cancelRequested?: true;
  readonly error?: Problem;
}

/** An operation as its client sees it. */
export interface VisibleOperation<Time> extends VisibleSummary<Time> {
  readonly progress?: unknown;
  readonly result?: unknown;
  readonly output?: OutputLink;
}

/** Converts epoch milliseconds to the type of times that a reader gets. */
export type ToTime<Time> = (ms: number) => Time;

/** Converts a time to a `Date`, for readers in process. */
export const toDate: ToTime<Date> = (ms) => new Date(ms);

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
let lastDay = Number.NaN;
let lastDate = "";

/**
 * Converts a time to its RFC 3339 text, as `toISOString` does. Most times are of one day, and to write its date again takes as
 * long as the rest of a reply's body.
 */
export const toTimeText: ToTime<string> = (ms) => {
  const day = Math.floor(ms / DAY_MS);
  if (day !== lastDay) {
    lastDate = new Date(ms).toISOString().slice(0, -"00:00:00.000Z".length);
    lastDay = day;
  }
  const ofDay = Math.trunc(ms) - day * DAY_MS;
  const seconds = Math.floor(ofDay / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const fraction = String(1_000 + (ofDay - seconds * 1_000)).slice(1);
  const [hh, mm, ss] = [
    TWO_DIGITS[hours],
    TWO_DIGITS[minutes - hours * 60],
    TWO_DIGITS[seconds - minutes * 60],
  ];
  return `${lastDate}${hh}:${mm}:${ss}.${fraction}Z`;
};

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

type SummarySource = Pick<
  Operation,
  "id" | "state" | "definition" | "createdAt" | "attempt" | "settledAt" | "cancelRequested" | "error"
>;

/**
 * Returns an operation without its payloads. Copies each member by name, so nothing internal leaks.
 *
 * Throws `CORRUPT_RECORD`.
 *
 * @param problemBaseUri Base URI of the problem types. Default: the page of this package on npm.
 */
export function toVisibleSummary<Time>(
  { id, state, definition, createdAt, attempt, settledAt, cancelRequested, error }: SummarySource,
  toTime: ToTime<Time>,
  problemBaseUri?: string,
): Writable<VisibleSummary<Time>> {
  const visible: Writable<VisibleSummary<Time>> = {
    operationId: id,
    status: state,
    definition,
    createdAt: toTime(createdAt),
    attempt,
  };
  // Measurements showed that spreads cost more here than serializing the result.
  if (settledAt !== undefined) visible.finishedAt = toTime(settledAt);
  if (state === "pending" && cancelRequested === true) visible.cancelRequested = true;
  if (error !== undefined) visible.error = shownProblem(parseStored(error), problemBaseUri);
  return visible;
}

/**
 * Returns an operation with its progress and its result, if the store returned them. See {@link toVisibleSummary}.
 *
 * @param outputHref Path of its output. Default: it has none.
 */
export function toVisible<Time>(
  operation: SummarySource & Pick<Operation, "progress" | "result">,
  toTime: ToTime<Time>,
  problemBaseUri: string,
  outputHref?: string,
): VisibleOperation<Time> {
  const visible: Writable<VisibleOperation<Time>> = toVisibleSummary(operation, toTime, problemBaseUri);
  const { state, progress, result } = operation;
  if (state === "pending" && progress !== undefined) visible.progress = parseStored(progress);
  if (result !== undefined) visible.result = parseStored(result);
  if (outputHref !== undefined) visible.output = { href: outputHref, closed: isTerminal(state) };
  return visible;
}
