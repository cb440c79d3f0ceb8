import type { Problem } from "../problem.js";
import type { ProgressOf, ResultOf } from "./definitions.js";

/**
 * An operation as callers see it, typed by its definition. `Time` is the type of points in time: dates in process, and
 * texts over HTTP.
 */
export type ViewOf<Definition, Time> = {
  /** Id of the operation. */
  readonly operationId: string;
  /** Name of the definition. */
  readonly definition: string;
  /** Number of attempts begun. Attempts that a stopping worker released do not count. */
  readonly attempt: number;
  /** Time of acceptance. */
  readonly createdAt: Time;
} & (
  | {
      readonly status: "pending";
      readonly progress?: ProgressOf<Definition>;
      /** Whether cancellation was requested while an attempt was running. Absent if it was not. */
      readonly cancelRequested?: true;
    }
  | { readonly status: "completed"; readonly finishedAt: Time; readonly result: ResultOf<Definition> }
  | { readonly status: "failed"; readonly finishedAt: Time; readonly error: Problem }
);
