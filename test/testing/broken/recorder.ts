import type { IdempotencyStore } from "async-request-reply";
import type {
  RecordResult,
  SeparateOperationStore,
  Submission,
  Submissions,
} from "async-request-reply/ports";
import type { Recording } from "async-request-reply/testing";
import { looseKeys } from "../loose-keys.js";
import { type BrokenPort, overriding } from "./prove.js";

/** The submissions of a back end, with the operations that they record. */
export interface Recorder extends Submissions<unknown> {
  readonly operations: SeparateOperationStore;
}

/** A recorder that exposes its keys. */
interface LooseRecorder extends Recorder {
  readonly idempotency: IdempotencyStore;
}

/** Returns the back end whose submissions make the mistake. */
export function recordingOf({ methods, ...rest }: BrokenPort<Recorder>): BrokenPort<Recording> {
  return {
    ...rest,
    methods: ({ operations: memory, submissions }, clock) => {
      const operations = memory as SeparateOperationStore;
      const own = overriding(submissions as Recorder, { operations });
      const replaced = { operations, ...methods(own, clock) };
      return { operations: replaced.operations, submissions: overriding(own, replaced) };
    },
  };
}

/** Makes the mistake in another back end, whose keys it can release. */
export function withLooseKeys(
  mistake: (recorder: LooseRecorder) => Partial<Submissions<unknown>>,
): BrokenPort<Recorder>["methods"] {
  return (_, clock) => {
    const { operations, idempotency, submissions } = looseKeys(clock);
    const own = overriding(submissions as Submissions<unknown> as LooseRecorder, { operations, idempotency });
    const { record, recordMany, findKey, purge } = overriding(own, mistake(own));
    return { operations, record, recordMany, findKey, purge };
  };
}

type Calls<Name extends keyof Submissions<unknown>> = Pick<Submissions<unknown>, Name>;

/** Records other operations. */
export function recording(
  submissions: Calls<"record">,
  change: (operation: Submission["operation"]) => Submission["operation"],
): Calls<"record"> {
  return {
    record: ({ operation, ...submission }) =>
      submissions.record({ ...submission, operation: change(operation) }),
  };
}

type Repeated = Extract<RecordResult, { readonly outcome: "exists" }>;

/** Returns something else to submissions whose key has an operation. */
export function repeating(
  submissions: Calls<"record">,
  change: (result: Repeated, submission: Submission) => Repeated,
): Calls<"record"> {
  return {
    record: async (submission) => {
      const result = await submissions.record(submission);
      return result.outcome === "exists" ? change(result, submission) : result;
    },
  };
}
