import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import type { JsonText } from "../../../contract/operation.js";
import { misuse } from "../../../contract/options.js";
import { untilAborted } from "../../../platform/waits.js";
import { sharedTransactions } from "../../../ports/backend.js";
import type { AppendResult } from "../../../ports/output-store.js";
import type { KeptLease } from "../../../protocol/keep-lease.js";
import { type BegunAttempt, reportError, triesOf, type WorkerContext } from "../../context.js";
import type { CheckedProcessor } from "../../processors.js";
import { UserFunction } from "../user-function.js";
import { AttemptOutput, type TransactionWriting } from "./attempt-output.js";
import type { SaveAsynchronously } from "./job-members.js";
import { type ChunkSource, pipe } from "./pipe.js";
import { toCheckpoint, toResumed } from "./values.js";

/** The attempt of an output. */
export interface OutputHolder {
  /** Protects the operation outside of transactions. */
  readonly kept: KeptLease;
  /** Aborted when the result of the attempt is no longer wanted. */
  readonly signal: AbortSignal;
  /** Aborted when the worker no longer waits for the work. */
  readonly abandoning: AbortController;
  /** Aborts `signal`. */
  abort(reason: AsyncReplyError): void;
  /** Called if another attempt has begun. */
  onLost(): void;
  /** Receives errors that the job has thrown. */
  onRaise(error: unknown): void;
}

type BegunWithOutput = BegunAttempt & Required<Pick<BegunAttempt, "standing">>;

/** The members of a job for output and checkpoints. */
export class JobOutput {
  /** Stores the chunks. */
  readonly stored: AttemptOutput;
  readonly #processor: CheckedProcessor;
  readonly #begun: BegunWithOutput;
  readonly #context: WorkerContext;
  readonly #holder: OutputHolder;
  #resumed: unknown;
  /** Whether this attempt has saved a checkpoint. */
  #saved = false;
  /** Number of calls in progress that the processor must await. */
  #open = 0;

  constructor(
    processor: CheckedProcessor,
    begun: BegunWithOutput,
    context: WorkerContext,
    holder: OutputHolder,
  ) {
    this.#processor = processor;
    this.#begun = begun;
    this.#context = context;
    this.#holder = holder;
    this.stored = new AttemptOutput(processor, begun.lease, begun.standing, context, () => holder.onLost());
  }

  /** Number of attempts since the last checkpoint, with this one. */
  get tries(): number {
    return this.#saved ? 1 : triesOf(this.#begun);
  }

  /** Reads the last checkpoint. Rejects with `INPUT_REFUSED`. */
  async resume(): Promise<void> {
    this.#resumed = await toResumed(this.#processor, this.#begun.standing);
  }

  get resumed(): unknown {
    this.#needs("checkpoint");
    return this.#resumed;
  }

  get write(): (chunk: unknown) => Promise<void> {
    this.#needs("chunk");
    return this.stored.write;
  }

  readonly pipe = (source: ChunkSource<unknown>): Promise<void> => {
    const { signal } = this.#holder;
    const { write } = this;
    const piping = pipe(source, write, signal).catch((error: unknown) => {
      if (signal.aborted && error === signal.reason) this.#holder.onRaise(error);
      throw error;
    });
    return this.#awaited(piping);
  };

  readonly checkpoint: SaveAsynchronously<unknown, unknown> = <Result>(
    value: unknown,
    work?: (tx: unknown) => Result | Promise<Result>,
  ): Promise<Result> => {
    this.#needs("checkpoint");
    return this.#awaited(this.#save(value, work && new UserFunction(work, "job.checkpoint")));
  };

  /** Ends calls that are in progress although the processor has ended. Returns the error for them. */
  endCalls(): AsyncReplyError | undefined {
    if (this.#open === 0) return undefined;
    const error = misuse(
      "The processor returned while its `job.pipe` or `job.checkpoint` was still in progress. Return or await its promise.",
    );
    this.#holder.abort(error);
    this.#holder.abandoning.abort(error);
    return error;
  }

  /** Throws if the definition lacks a schema. Only programs without types get here. */
  #needs(schema: "chunk" | "checkpoint"): void {
    const { definition } = this.#processor;
    if (definition[schema] === undefined) throw lacksSchema(definition.name);
  }

  #awaited<Result>(call: Promise<Result>): Promise<Result> {
    this.#open += 1;
    const end = (): void => {
      this.#open -= 1;
    };
    // Handles the rejection even if the processor never awaits the promise.
    call.then(end, end);
    return call;
  }

  async #save<Result>(value: unknown, work: UserFunction<Result> | undefined): Promise<Result> {
    const holder = this.#holder;
    let result: Result;
    try {
      result = await this.#saveInTurn(value, work);
    } catch (error) {
      if (work?.threw(error) === true) throw error;
      holder.onRaise(error);
      if (!isAsyncReplyError(error) || error.code !== "NO_TRANSACTIONS") this.stored.refused(error);
      throw error;
    }
    if (!this.#context.isEnding()) return result;
    const detail = "The worker is stopping. Another one continues from this checkpoint.";
    const released = new AsyncReplyError("WORKER_STOPPED", detail);
    holder.onRaise(released);
    throw released;
  }

  #saveInTurn<Result>(value: unknown, work: UserFunction<Result> | undefined): Promise<Result> {
    const { stored } = this;
    const { signal } = this.#holder.abandoning;
    stored.refuseIfClosed();
    return stored.inTurnHere(async (here) => {
      const checkpoint = await untilAborted(toCheckpoint(this.#processor, value), signal);
      if (work !== undefined) return this.#saveWith(work, checkpoint);
      this.#answered(await stored.store(here, checkpoint));
      // Without a function, the call resolves to nothing.
      return undefined as Result;
    });
  }

  /** Throws if the checkpoint is not stored. */
  #answered(result: AppendResult | undefined): void {
    if (result === "stored") this.#saved = true;
    if (result === "lost") this.#holder.onLost();
    this.stored.refuseIfClosed();
  }

  /** Saves a checkpoint in a transaction with the user's writes. */
  async #saveWith<Result>(work: UserFunction<Result>, checkpoint: JsonText): Promise<Result> {
    const { kept } = this.#holder;
    let value: Result | undefined;
    // The transaction's lock replaces the lease, and a renewal would wait for the lock.
    kept.pause();
    try {
      const result = await this.stored.transact(
        (writing) =>
          this.#transact(work, writing, (returned) => {
            value = returned;
          }),
        checkpoint,
      );
      this.#answered(result);
      return value as Result;
    } finally {
      kept.resume();
    }
  }

  async #transact<Result>(
    work: UserFunction<Result>,
    writing: TransactionWriting,
    onReturn: (value: Result) => void,
  ): Promise<AppendResult> {
    const { backend } = this.#context;
    const { synchronous } = backend.submissions;
    const { signal } = this.#holder.abandoning;
    const { lease } = this.#begun;
    const result =
      synchronous === undefined
        ? await sharedTransactions(backend).append?.(
            lease,
            async (tx) => {
              writing.begin();
              onReturn(await work.call(tx));
              return writing.end();
            },
            { signal },
          )
        : await synchronous.append?.(
            lease,
            (handle) => {
              writing.begin();
              onReturn(work.callNow(handle, (error) => reportError(this.#context, "late-write", error)));
              return writing.end();
            },
            { signal },
          );
    if (result !== undefined) return result;
    const detail =
      "The transactions of this back end cannot save checkpoints. Call `job.checkpoint` without a function.";
    throw new AsyncReplyError("NO_TRANSACTIONS", detail);
  }
}

/** Returns the error for a member of the job that its definition does not have. */
export function lacksSchema(definition: string): AsyncReplyError {
  return misuse(
    `The definition "${definition}" has no schema for this member of the job. \`job.write\` and \`job.pipe\` need \`chunk\`, ` +
      "and `job.checkpoint` and `job.resumed` need `checkpoint`.",
  );
}
