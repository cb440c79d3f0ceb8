import { AsyncReplyError } from "../../contract/errors.js";
import { parseStored } from "../../contract/json/json-text.js";
import type { Operation } from "../../contract/operation.js";
import { validateAs } from "../../contract/schema.js";
import type { Deadline } from "../../platform/waits.js";
import { KeptLease, type LeaseHolder } from "../../protocol/keep-lease.js";
import {
  attemptEvent,
  type BegunAttempt,
  type RunningAttempt,
  reportError,
  type WorkerContext,
} from "../context.js";
import type { Link } from "../latch.js";
import type { CheckedProcessor } from "../processors.js";
import { AttemptJob, toCompletion, toCompletionNow, toProgress, toRelease } from "./attempt-job.js";
import { type Ending, endingOf, ofProcessor } from "./ending.js";
import type { Job } from "./job.js";
import { createJobTransaction, type JobTransaction } from "./job-transaction.js";
import { JobOutput, lacksSchema, type OutputHolder } from "./output/job-output.js";

/**
 * Runs the processor of an attempt that has begun. Resolves to how the attempt ended, as soon as the work ends or is
 * interrupted.
 */
export function runProcessor(
  processor: CheckedProcessor,
  begun: BegunAttempt,
  context: WorkerContext,
): Promise<Ending> {
  return new Run(processor, begun, context).ended();
}

/**
 * One call of a processor: renews the lease, limits the time, and signals the processor when it should stop. Everything that
 * few processors use is created on first use, because it takes as long to create as the rest of the attempt.
 */
class Run implements LeaseHolder, RunningAttempt, OutputHolder {
  readonly operation: Operation;
  readonly #lease: BegunAttempt["lease"];
  readonly #processor: CheckedProcessor;
  readonly #context: WorkerContext;
  readonly kept: KeptLease;
  readonly #place: Link<RunningAttempt>;
  readonly #timeLimit: Deadline | undefined;
  readonly #output: JobOutput | undefined;
  #interruption: AsyncReplyError | undefined;
  #resolve: ((ending: Ending) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;
  /** Whether the attempt has ended. */
  #over = false;
  #abortReason: AsyncReplyError | undefined;
  #aborting: AbortController | undefined;
  /** Aborted when the worker no longer waits for the work. */
  #abandoning: AbortController | undefined;
  #transaction: JobTransaction | undefined;
  #progress: Job["progress"] | undefined;
  /** Errors that the job has thrown. */
  readonly #raised: unknown[] = [];
  #droppedProgress = false;
  /** Whether the processor has been called. */
  #started = false;
  /** Whether the processor has returned. */
  #returned = false;

  constructor(processor: CheckedProcessor, begun: BegunAttempt, context: WorkerContext) {
    const { leaseMs, attemptTimeoutMs } = processor.settings;
    const { lease, operation, standing } = begun;
    this.operation = operation;
    this.#lease = lease;
    this.#processor = processor;
    this.#context = context;
    this.kept = new KeptLease(lease, leaseMs, this, context.leases);
    this.#place = context.running.add(this);
    if (attemptTimeoutMs !== undefined)
      this.#timeLimit = context.leases.deadlines.add(attemptTimeoutMs, () =>
        this.#timeIsUp(attemptTimeoutMs),
      );
    if (standing !== undefined)
      this.#output = new JobOutput(processor, { ...begun, standing }, context, this);
  }

  /** Resolves to how the attempt ended. It ends once: with the work, or with the first interruption. */
  ended(): Promise<Ending> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    const processor = this.#processor;
    try {
      const stored = parseStored(this.operation.input);
      const input = await validateAs("INPUT_REFUSED", processor.definition.input, stored);
      if (this.#output !== undefined) await this.#output.resume();
      // The schemas may have taken longer than the attempt.
      if (this.#over) return;
      this.#started = true;
      let value: unknown;
      try {
        value = await processor.run(input, new AttemptJob(this.operation, this));
      } catch (error) {
        this.#returned = true;
        this.#output?.endCalls();
        await this.#transaction?.end();
        this.#output?.stored.throwIfFailed();
        throw this.#raised.includes(error) ? error : ofProcessor(error);
      }
      this.#returned = true;
      const unfinished = this.#output?.endCalls() ?? (this.#transaction && (await this.#transaction.end()));
      if (unfinished !== undefined) throw unfinished;
      const committed = this.#transaction?.committed();
      if (committed !== undefined) return this.#end(committed);
      this.#output?.stored.throwIfFailed();
      const settlement = toCompletion(processor, value);
      this.#end({ settlement: settlement instanceof Promise ? await settlement : settlement });
    } catch (error) {
      this.#fail(error);
    }
  }

  #end(ending: Ending): void {
    if (this.#over) return;
    this.#close();
    const last = this.#withProgress(ending);
    const output = this.#output?.stored;
    if (output === undefined || last.settlement === undefined || last.settled !== undefined)
      this.#resolve?.(last);
    else void output.finish().then((isStored) => this.#resolve?.(isStored ? last : { error: last.error }));
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    try {
      this.#end(this.#endingOf(error));
    } catch (unreadable) {
      // The stored errors of earlier attempts are damaged.
      this.#close();
      this.#reject?.(unreadable);
    }
  }

  #close(): void {
    this.#over = true;
    this.#output?.stored.close(this.#interruption);
    this.#timeLimit?.cancel();
    this.#context.running.remove(this.#place);
    this.kept.stop();
  }

  #endingOf(error: unknown): Ending {
    const context = this.#context;
    const committed = this.#transaction?.committed();
    if (committed === undefined) {
      const { operation } = this;
      const { token } = this.#lease;
      const tries = this.#output?.tries ?? operation.attempt;
      const now = context.runtime.clock.now();
      const ended = { operation, token, tries, now, started: this.#started };
      return endingOf(error, ended, this.#processor.settings);
    }
    reportError(context, "after-transaction", error);
    return committed;
  }

  #withProgress(ending: Ending): Ending {
    if (ending.settled !== undefined || ending.settlement === undefined) return ending;
    const settlement = this.kept.withProgress(ending.settlement);
    return settlement === ending.settlement ? ending : { ...ending, settlement };
  }

  get operationId(): string {
    return this.operation.id;
  }

  renew(): void {
    this.kept.renew();
  }

  interrupt(reason: AsyncReplyError): void {
    this.abort(reason);
    this.#abandoning?.abort(reason);
    this.#interruption ??= reason;
    this.#fail(reason);
  }

  onLost(): void {
    this.interrupt(new AsyncReplyError("LEASE_LOST", "Another attempt has taken over the operation."));
  }

  /** Does not interrupt the attempt, because work that completes anyway counts. */
  onCancelRequested(): void {
    this.abort(new AsyncReplyError("CANCELLED", "The operation was cancelled."));
  }

  onRenewalFailed(error: unknown): void {
    const context = this.#context;
    reportError(context, "renew", error);
  }

  #timeIsUp(limitMs: number): void {
    const detail = `The attempt did not end within ${limitMs} ms. To allow more time, raise \`attemptTimeoutMs\`.`;
    this.interrupt(new AsyncReplyError("ATTEMPT_TIMEOUT", detail));
  }

  /** Aborts the signal of the processor. Only the first reason counts. */
  abort(reason: AsyncReplyError): void {
    this.#abortReason ??= reason;
    this.#aborting?.abort(reason);
  }

  /** Signal of the processor. */
  get signal(): AbortSignal {
    this.#aborting ??= abortedWith(this.#abortReason);
    return this.#aborting.signal;
  }

  get progress(): Job["progress"] {
    this.#progress ??= (value) => this.#report(value);
    return this.#progress;
  }

  #report(value: unknown): void {
    try {
      const stored = toProgress(this.#processor, value);
      if (typeof stored === "string") this.kept.progress(stored);
      else this.#drop(stored);
    } catch (error) {
      this.#raised.push(error);
      throw error;
    }
  }

  /** Reports the first value of an attempt that was dropped. A processor may report thousands. */
  #drop(error: AsyncReplyError): void {
    if (this.#droppedProgress) return;
    this.#droppedProgress = true;
    this.#context.observe({ ...attemptEvent("progress.dropped", this.operation), error });
  }

  get release(): Job["release"] {
    return (options) => {
      try {
        throw toRelease(options);
      } catch (error) {
        this.#raised.push(error);
        throw error;
      }
    };
  }

  /** Members of the job. Throws if the definition has neither `chunk` nor `checkpoint`. */
  get output(): JobOutput {
    if (this.#output !== undefined) return this.#output;
    throw lacksSchema(this.operation.definition);
  }

  get abandoning(): AbortController {
    this.#abandoning ??= abortedWith(this.#interruption);
    return this.#abandoning;
  }

  onRaise(error: unknown): void {
    this.#raised.push(error);
  }

  get transaction(): Job["transaction"] {
    this.#transaction ??= this.#createTransaction();
    return this.#transaction.run;
  }

  #createTransaction(): JobTransaction {
    const processor = this.#processor;
    const context = this.#context;
    return createJobTransaction({
      backend: context.backend,
      lease: this.#lease,
      kept: this.kept,
      output: this.#output?.stored,
      abandoning: this.abandoning,
      interrupt: (reason) => this.interrupt(reason),
      toCompletion: (value) => toCompletion(processor, value),
      toCompletionNow: (value) => toCompletionNow(processor, value),
      onRaise: (error) => this.onRaise(error),
      isOver: () => this.#returned,
      onLate: (error) => reportError(context, "after-transaction", error),
    });
  }
}

/** Creates a controller that is aborted if there is a reason. */
function abortedWith(reason: AsyncReplyError | undefined): AbortController {
  const controller = new AbortController();
  if (reason !== undefined) controller.abort(reason);
  return controller;
}
