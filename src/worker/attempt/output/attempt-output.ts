import { AsyncReplyError } from "../../../contract/errors.js";
import type { JsonText } from "../../../contract/operation.js";
import { misuse } from "../../../contract/options.js";
import type { AppendResult, OutputAppend, OutputState } from "../../../ports/output-store.js";
import { type BegunAttempt, reportError, type WorkerContext } from "../../context.js";
import type { CheckedProcessor } from "../../processors.js";
import { untilAnswered } from "../until-answered.js";
import { type Mark, OutputBuffer } from "./output-buffer.js";
import { toChunk } from "./values.js";

/** Size of the chunks that do not wait for others. Bytes. */
const FLUSH_BYTES = 32_768;
/** Size of the chunks that are not stored from which on writers wait. Bytes. */
const ROOM_BYTES = 65_536;

/** There is room for another chunk. All writes share this promise, because a processor may await one per token. */
const WRITTEN = Promise.resolve();

/** Steps of a transaction that also stores output. */
export interface TransactionWriting {
  /** Call when the function of the user begins: chunks that it writes are rolled back with the transaction. */
  begin(): void;
  /**
   * Returns what the transaction has to store. Call when the function has ended.
   *
   * Throws the error of a write that failed.
   */
  end(): OutputAppend;
}

/**
 * The output of one attempt. Stores chunks some at a time. The calls of the store follow each other, because each of them says
 * how many chunks stand.
 */
export class AttemptOutput {
  readonly #processor: CheckedProcessor;
  readonly #lease: BegunAttempt["lease"];
  readonly #context: WorkerContext;
  /** Called if another attempt has begun. */
  readonly #onLost: () => void;
  readonly #buffer: OutputBuffer;
  /** Number of the last checkpoint. */
  #number: number;
  /** Number of steps that have not ended, and the end of the last one. */
  #steps = 0;
  #last: Promise<unknown> = WRITTEN;
  /** Places of the checkpoints whose turn has not come. Chunks after them are stored later. */
  readonly #places: Mark[] = [];
  #cancelFlush: (() => void) | undefined;
  #room: Room | undefined;
  /** Whether a function of the user runs in a transaction, which could not end if it waited for room. */
  #inTransaction = false;
  #failure: { readonly error: unknown } | undefined;
  /** Why nothing can be written any more. */
  #closed: AsyncReplyError | undefined;
  #reportedLate = false;

  constructor(
    processor: CheckedProcessor,
    lease: BegunAttempt["lease"],
    standing: OutputState,
    context: WorkerContext,
    onLost: () => void,
  ) {
    this.#processor = processor;
    this.#lease = lease;
    this.#context = context;
    this.#onLost = onLost;
    this.#buffer = new OutputBuffer(standing);
    this.#number = standing.checkpoint?.number ?? 0;
  }

  /** Throws the first error of a write or a checkpoint. It fails the attempt, even if the processor has caught it. */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Adds a chunk. Resolves when there is room for another one. */
  readonly write = (value: unknown): Promise<void> => {
    try {
      this.refuseIfClosed();
      const { maxOutputBytes } = this.#processor.definition;
      if (!this.#buffer.add(toChunk(this.#processor, value), maxOutputBytes)) throw tooLarge(maxOutputBytes);
    } catch (error) {
      this.refused(error);
      const rejected = Promise.reject(error);
      // Handles the rejection even if the processor never awaits the promise.
      rejected.catch(() => {});
      return rejected;
    }
    this.#flushSoon();
    if (this.#buffer.unstoredBytes < ROOM_BYTES || this.#inTransaction) return WRITTEN;
    this.#room ??= createRoom();
    return this.#room.promise;
  };

  /** Throws why nothing can be written any more. */
  refuseIfClosed(): void {
    this.throwIfFailed();
    if (this.#closed !== undefined) throw this.#closed;
  }

  /** Fails the attempt with an error, unless it says that the attempt has ended. */
  refused(error: unknown): void {
    if (this.#closed !== undefined && error === this.#closed) this.#reportLate(this.#closed);
    else this.#failure ??= { error };
  }

  /** Refuses everything that is written later. Writers that wait for room stop waiting if the attempt was interrupted. */
  close(interruption: AsyncReplyError | undefined): void {
    this.#closed = interruption ?? tooLate();
    this.#cancelFlush?.();
    if (interruption !== undefined) this.#room?.reject(interruption);
  }

  /** Stores the chunks that are left. Resolves to whether all are stored. */
  async finish(): Promise<boolean> {
    if (this.#steps === 0 && this.#buffer.isEmpty) return true;
    // It is lost if another attempt has begun, or if an append that was not answered arrived in the meantime.
    return this.inTurn(async () => this.#buffer.isEmpty || (await this.#flush()) === "stored");
  }

  /** Runs a step of the store in turn that needs the chunks before the current place, and no later ones. */
  inTurnHere<Result>(step: (here: Mark) => Promise<Result>): Promise<Result> {
    const here = this.#buffer.mark();
    this.#places.push(here);
    return this.inTurn(() => {
      this.#places.shift();
      return step(here);
    });
  }

  /** Stores the chunks before a place, and a checkpoint. Resolves to undefined if the store has not answered. */
  async store(mark: Mark, checkpoint?: JsonText): Promise<AppendResult | undefined> {
    const append = this.#appendOf(mark, checkpoint);
    let result: AppendResult | undefined;
    try {
      result = await untilAnswered(this.#context, "append", async () => {
        const answers = await this.#context.backend.output?.append([append]);
        return answers?.[0] ?? "lost";
      });
    } catch (cause) {
      this.refused(new AsyncReplyError("INVALID_RESULT", "the store refused the output.", { cause }));
      // It would be refused again.
      this.#buffer.drop();
      return "stored";
    }
    if (result === "stored") this.#stored(mark);
    else if (result === "lost") this.#onLost();
    return result;
  }

  /** Runs a transaction that stores what is not stored. If it fails, what was written in it is dropped. Call it in turn. */
  async transact<Result>(
    run: (writing: TransactionWriting) => Promise<Result>,
    checkpoint?: JsonText,
  ): Promise<Result> {
    let begun: Mark | undefined;
    let ended: Mark | undefined;
    const begin = (): void => {
      begun = this.#buffer.mark();
      this.#inTransaction = true;
      this.#makeRoom();
    };
    const end = (): OutputAppend => {
      this.throwIfFailed();
      ended = this.#buffer.mark();
      return this.#appendOf(ended, checkpoint);
    };
    try {
      const result = await run({ begin, end });
      if (ended !== undefined) this.#stored(ended);
      return result;
    } catch (error) {
      if (begun !== undefined) this.#buffer.drop(begun);
      throw error;
    } finally {
      this.#inTransaction = false;
    }
  }

  /** Runs a step of the store after all earlier ones. */
  inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    this.#steps += 1;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const done = this.#last.then(step);
    const next = (): void => {
      this.#steps -= 1;
      this.#flushSoon();
    };
    this.#last = done.then(next, next);
    return done;
  }

  /** Flushes after the current turn, and together with the other attempts of the worker unless there is much to store. */
  #flushSoon(): void {
    if (this.#steps > 0 || this.#buffer.isEmpty || this.#closed !== undefined) return;
    const isFull = this.#buffer.unstoredBytes >= FLUSH_BYTES;
    if (this.#cancelFlush !== undefined && !isFull) return;
    const { flushes } = this.#context;
    const flush = (): void => void this.inTurn(() => this.#flush());
    if (isFull || flushes.takeNow()) flush();
    else this.#cancelFlush = flushes.join(flush);
  }

  #flush(): Promise<AppendResult | undefined> {
    return this.store(this.#places[0] ?? this.#buffer.mark());
  }

  #appendOf(mark: Mark, value: JsonText | undefined): OutputAppend {
    const append = { lease: this.#lease, ...this.#buffer.before(mark) };
    if (value === undefined) return append;
    this.#number += 1;
    return { ...append, checkpoint: { value, number: this.#number } };
  }

  #stored(mark: Mark): void {
    this.#buffer.stored(mark);
    if (this.#buffer.unstoredBytes < ROOM_BYTES) this.#makeRoom();
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  /** Reports the first write that comes too late, unless the attempt was interrupted. A processor may write thousands. */
  #reportLate(error: AsyncReplyError): void {
    if (this.#reportedLate || error.code !== "INVALID_OPTION") return;
    this.#reportedLate = true;
    reportError(this.#context, "late-write", error);
  }
}

/** Writers that wait for room. */
interface Room {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

function createRoom(): Room {
  let resolve = (): void => {};
  let reject: Room["reject"] = () => {};
  const promise = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

function tooLarge(maxOutputBytes: number): AsyncReplyError {
  const detail = `The output of the work is larger than ${maxOutputBytes} bytes as JSON, which is its limit.`;
  const advice =
    "Raise `maxOutputBytes` of the definition, or keep the data elsewhere and write its address.";
  return new AsyncReplyError("OUTPUT_TOO_LARGE", detail, { eventDetail: `${detail} ${advice}` });
}

function tooLate(): AsyncReplyError {
  return misuse(
    "`job.write`, `job.pipe` or `job.checkpoint` was called after its attempt had ended. Await it in the processor, before it " +
      "returns and before `job.transaction`.",
  );
}
