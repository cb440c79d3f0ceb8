import { createSystemRuntime } from "../../../platform/system-runtime.js";
import type { Listening, Queue } from "../../../ports/queue.js";
import type { Ring } from "../../../ports/ring.js";
import { ok } from "../../expect.js";
import type { OpenPort, PortCase, PortHarness } from "../port-case.js";

/** A queue opened for one case. */
export interface OpenQueue extends OpenPort<Queue> {
  /** Opens a queue on the same server, as another process does. Needed if `capabilities` has `processes`. */
  connect?(): Promise<OpenPort<Queue>>;
}

/** Creates queues for `queueCases`. */
export interface QueueHarness extends PortHarness<Queue> {
  /** Maximum time until a listener hears a ring that was published, or that another listener has left. Milliseconds. */
  readonly ringsWithinMs: number;
  /** Creates a queue on which nothing has been published. */
  create(): Promise<OpenQueue>;
}

/** A case before it is bound to a way of opening its queue. */
export interface QueueCheck extends Omit<PortCase<QueueHarness>, "run"> {
  check(stage: QueueStage): Promise<void>;
}

/** A ring may come late or never, as long as a queue connects. So cases publish up to this many times. */
const ATTEMPTS = 10;
/** Number of rings after which a case compares what listeners have heard. */
const RINGS = 10;

const { newId } = createSystemRuntime();

/** Creates a ring of a new operation. */
export function newRing(definition = "orders"): Ring {
  return { definition, operationId: newId() };
}

/** A worker that hears rings. It says after each one of which definitions it has free slots. */
export class Listener {
  /** Number of rings so far. */
  heard = 0;
  #wanted: ReadonlySet<string> = new Set();
  /** Definition that it stops wanting with the next ring. */
  #single: string | undefined;
  #isClosed = false;
  readonly #listening: Listening;

  constructor(queue: Queue, onRing: () => void, onError: (error: unknown) => void) {
    const onHeard = (): void => {
      this.heard += 1;
      if (this.#single !== undefined) this.#wanted = without(this.#wanted, this.#single);
      onRing();
      void Promise.resolve().then(() => {
        if (!this.#isClosed) this.#listening.want(this.#wanted);
      });
    };
    this.#listening = queue.listen({ onRing: onHeard, onError });
  }

  /** Wants these definitions, until the next call. */
  want(...definitions: readonly string[]): void {
    this.#single = undefined;
    this.#wanted = new Set(definitions);
    this.#listening.want(this.#wanted);
  }

  /** Wants these definitions. When it hears a ring, it has no slot left for the first one. */
  wantOnce(definition: string, ...others: readonly string[]): void {
    this.want(definition, ...others);
    this.#single = definition;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#listening.close();
  }
}

function without(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return new Set([...names].filter((each) => each !== name));
}

/** A queue and its listeners, as a case sees them. */
export class QueueStage {
  readonly #harness: QueueHarness;
  readonly #opened: OpenQueue;
  readonly #others: OpenPort<Queue>[] = [];
  readonly #listeners: Listener[] = [];
  readonly #errors: unknown[] = [];
  #onRing: () => void = () => {};

  constructor(harness: QueueHarness, opened: OpenQueue) {
    this.#harness = harness;
    this.#opened = opened;
  }

  get queue(): Queue {
    return this.#opened.port;
  }

  /** Opens the queue of another process. */
  async connect(): Promise<Queue> {
    const opened = await this.#opened.connect?.();
    if (opened === undefined)
      throw new Error(
        "The harness declares `processes`, but `create` returned no `connect`. Return it or remove the capability.",
      );
    this.#others.push(opened);
    return opened.port;
  }

  /** Opens a listener that wants these definitions. Without any, it never says what it wants. */
  listen(definitions: readonly string[], queue: Queue = this.queue): Listener {
    const onError = (error: unknown): void => void this.#errors.push(error);
    const listener = new Listener(queue, () => this.#onRing(), onError);
    this.#listeners.push(listener);
    if (definitions.length > 0) listener.want(...definitions);
    return listener;
  }

  /** Publishes a ring. Returns whether the condition held in time. */
  async ringOnce(ring: Ring, isTrue: () => boolean): Promise<boolean> {
    await this.queue.publish([ring]);
    return this.holds(isTrue);
  }

  /** Publishes rings of a definition until a listener has heard one. */
  async ring(definition: string, listener: Listener): Promise<void> {
    const { heard } = listener;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1)
      if (await this.ringOnce(newRing(definition), () => listener.heard > heard)) return;
    this.fail(`a listener that wants ${definition} heard none of ${ATTEMPTS} rings`);
  }

  /** Opens a listener that wants these definitions, and that has heard a ring of the last one. */
  async connected(...definitions: readonly string[]): Promise<Listener> {
    const listener = this.listen(definitions);
    await this.ring(definitions.at(-1) ?? "", listener);
    return listener;
  }

  /** Returns how many rings a listener hears while another one hears 10 of a definition. */
  async heardMeanwhile(listener: Listener, other: Listener, definition: string): Promise<number> {
    const { heard } = listener;
    for (let count = 0; count < RINGS; count += 1) await this.ring(definition, other);
    return listener.heard - heard;
  }

  /** Checks that a listener hears nothing while another one hears rings of a definition. */
  async isSilent(listener: Listener, other: Listener, definition: string): Promise<void> {
    const heard = await this.heardMeanwhile(listener, other, definition);
    ok(heard === 0, `expected a listener that wants nothing to hear nothing, it heard ${heard} rings`);
  }

  /**
   * Checks that a listener does not hear what another one hears. It may hear a ring now and then, because a ring may come late, or
   * because the queue may have missed some.
   */
  async isSpared(listener: Listener, other: Listener, definition: string): Promise<void> {
    const heard = await this.heardMeanwhile(listener, other, definition);
    ok(heard < RINGS / 2, `a listener that does not want ${definition} heard ${heard} of its ${RINGS} rings`);
  }

  /** Returns whether a condition about the listeners is true before the queue has had enough time. */
  async holds(isTrue: () => boolean): Promise<boolean> {
    if (isTrue()) return true;
    const heard = new Promise<void>((resolve) => {
      this.#onRing = () => {
        if (isTrue()) resolve();
      };
    });
    await Promise.race([heard, this.#harness.passTime(this.#harness.ringsWithinMs)]);
    return isTrue();
  }

  /** Waits for a promise that must settle before the queue has had enough time. */
  async endsInTime(promise: Promise<unknown>, what: string): Promise<void> {
    const { ringsWithinMs } = this.#harness;
    let hasEnded = false;
    const ended = promise.then(() => {
      hasEnded = true;
    });
    for (let attempt = 0; attempt < ATTEMPTS && !hasEnded; attempt += 1)
      await Promise.race([ended, this.#harness.passTime(ringsWithinMs)]);
    ok(hasEnded, `${what} did not end within ${ATTEMPTS * ringsWithinMs} ms`);
  }

  fail(what: string): never {
    const reported = this.#errors.map((error) => `\n${error}`).join("");
    throw new Error(reported === "" ? what : `${what}, and the queue reported:${reported}`);
  }

  /** Closes everything that the case has opened. */
  async close(): Promise<void> {
    const closing = Promise.all(this.#listeners.map((listener) => listener.close()));
    await this.endsInTime(closing, "closing all listeners");
    for (const { close } of this.#others) await close?.();
    await this.#opened.close?.();
  }
}
