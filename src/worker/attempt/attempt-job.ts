import type { Operation } from "../../contract/operation.js";
import type { Job } from "./job.js";
import type { LazyAbort } from "./lazy-abort.js";

/**
 * The job of one attempt. It is a class because V8 keeps an object literal with an accessor, and with it the whole
 * attempt, until the next full collection.
 */
export class AttemptJob implements Job {
  readonly operationId: string;
  readonly tenant: string;
  readonly attempt: number;
  readonly progress: Job["progress"];
  readonly #abort: Pick<LazyAbort, "signal">;
  readonly #transaction: () => Job["transaction"];

  constructor(
    { id, tenant, attempt }: Operation,
    abort: Pick<LazyAbort, "signal">,
    progress: Job["progress"],
    transaction: () => Job["transaction"],
  ) {
    this.operationId = id;
    this.tenant = tenant;
    this.attempt = attempt;
    this.progress = progress;
    this.#abort = abort;
    this.#transaction = transaction;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get transaction(): Job["transaction"] {
    return this.#transaction();
  }
}
