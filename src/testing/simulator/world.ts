import { AsyncReplyError } from "../../core/errors.js";
import type { Clock } from "../../ports/runtime.js";
import { type Choices, recordedChoices } from "./choices.js";

/** What can happen to a call between a process and a store or queue. */
type Fate =
  | "answered"
  /** The process dies, before the call arrived or after it was done. */
  | "crash-before"
  | "crash-after"
  /** The caller gets an error, though it was done; or it was not. */
  | "answer-lost"
  | "unavailable"
  /** The caller gets an error now, and it is done later. */
  | "late"
  /** It arrives twice; the second answer is the one that gets back. */
  | "twice";

const FATES: readonly (readonly [Fate, number])[] = [
  ["answered", 90],
  ["crash-before", 2],
  ["crash-after", 2],
  ["answer-lost", 2],
  ["unavailable", 1],
  ["late", 2],
  ["twice", 1],
];

const START = Date.UTC(2030, 0, 1);

/** A call stays under way no longer than this: what is later than a purge grace no design could bear. */
const MAX_LATENESS_MS = 60_000;

/** So many calls at one time are a back end that keeps its callers busy without end. */
const MAX_CALLS_AT_ONCE = 1_000;

const JUMPS_MS = [31_000, 301_000, 3_601_000, 7 * 86_400_000 + 1_000];

/** A process that can die. Whatever it waits for then never comes. */
export class Process {
  readonly name: string;
  /** Resolves when it dies. */
  readonly death: Promise<void>;
  readonly die: () => void;
  /** Until then nothing of it goes on, as when it blocks its event loop or is stopped by a signal. */
  frozenUntil = 0;
  #dead = false;

  constructor(name: string) {
    this.name = name;
    let died: () => void = () => {};
    this.death = new Promise((resolve) => {
      died = resolve;
    });
    this.die = () => {
      this.#dead = true;
      died();
    };
  }

  get dead(): boolean {
    return this.#dead;
  }
}

interface Call {
  readonly process: Process;
  readonly label: string;
  readonly issuedAt: number;
  readonly run: () => Promise<unknown>;
  readonly answer: (result: unknown) => void;
  readonly refuse: (error: unknown) => void;
}

interface Timer {
  readonly at: number;
  readonly process: Process;
  readonly task: () => void;
}

/**
 * One history: virtual time, processes, and the calls between them and the ports. One thing happens at a time, and the
 * choices say which.
 */
export class World {
  readonly trace: string[] = [];
  #choices: Choices;
  readonly #calls: Call[] = [];
  readonly #timers = new Set<Timer>();
  #now = START;
  #faultsLeft: number;
  #jumpsLeft: number;
  readonly #isDecided: () => boolean;

  /** `isDecided`: whether what happened is enough, and nothing more needs to happen before time goes on. */
  constructor(choices: Choices, faults: number, isDecided: () => boolean) {
    this.#choices = choices;
    this.#isDecided = isDecided;
    this.#faultsLeft = faults;
    this.#jumpsLeft = faults;
  }

  get now(): number {
    return this.#now;
  }

  get choices(): Choices {
    return this.#choices;
  }

  /** From now on nothing goes wrong any more, and there is nothing left to choose. */
  calmDown(): void {
    this.#faultsLeft = 0;
    this.#jumpsLeft = 0;
    this.#choices = recordedChoices([]);
  }

  note(line: string): void {
    this.trace.push(`${String((this.#now - START) / 1_000).padStart(9)}s  ${line}`);
  }

  /** The clock of a process, or of a store if it never dies. */
  clockOf(process: Process): Clock {
    return {
      now: () => this.#now,
      schedule: (delayMs, task) => {
        if (process.dead) return () => {};
        const timer = { at: this.#now + Math.max(0, delayMs), process, task };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
    };
  }

  /** Issues a call. It is done when it is its turn, and answered unless something goes wrong. */
  call<T>(process: Process, label: string, run: () => Promise<T>): Promise<T> {
    if (process.dead) return new Promise(() => {});
    return new Promise<T>((resolve, reject) => {
      const answer = resolve as (result: unknown) => void;
      this.#calls.push({ process, label, issuedAt: this.#now, run, answer, refuse: reject });
    });
  }

  /** Lets one thing happen. */
  async step(): Promise<void> {
    await quiet();
    const acts = this.#calls.length > 0;
    const action = this.#choices.weighted([
      ["act", acts ? 24 : 0],
      ["wait", acts ? 4 : 24],
      ["jump", this.#jumpsLeft > 0 ? 1 : 0],
    ]);
    if (action === "act") return this.#act(this.#choices.choose(this.#calls.length));
    if (action === "wait") return this.#wait();
    this.#jumpsLeft -= 1;
    await this.#moveTo(this.#now + (JUMPS_MS[this.#choices.choose(JUMPS_MS.length)] ?? 0));
    this.note("time jumps");
  }

  /** Lets the next timer fire, once everything that is too late for it has happened. */
  async #wait(): Promise<void> {
    const next = this.#nextTimer();
    if (next === undefined) {
      if (this.#calls.length > 0) await this.#act(0);
      return;
    }
    await this.#moveTo(timeOf(next));
    if (this.#timers.delete(next)) next.task();
    await quiet();
  }

  #nextTimer(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || timeOf(timer) < timeOf(first)) first = timer;
    return first;
  }

  async #moveTo(at: number): Promise<void> {
    // What an answer makes a process do is as late as the answer.
    for (let acts = 0; acts < MAX_CALLS_AT_ONCE && !this.#isDecided(); acts += 1) {
      const late = this.#calls.findIndex(({ issuedAt }) => issuedAt + MAX_LATENESS_MS < at);
      if (late === -1) break;
      await this.#act(late);
      await quiet();
    }
    this.#now = Math.max(this.#now, at);
  }

  async #act(index: number): Promise<void> {
    const [call] = this.#calls.splice(index, 1);
    if (call === undefined) return;
    const fate = this.#faultsLeft > 0 && !call.process.dead ? this.#choices.weighted(FATES) : "answered";
    if (fate !== "answered") this.#faultsLeft -= 1;
    const { process, label } = call;
    const about = `${process.name}${process.dead ? " (dead)" : ""}: ${label}`;
    if (fate === "crash-before") return this.#die(process, `${about}, dies before`);
    if (fate === "unavailable" || fate === "late") {
      this.note(`${about}, ${fate}`);
      call.refuse(new AsyncReplyError("STORE_UNAVAILABLE", `simulated: ${fate}`));
      if (fate === "late") this.#calls.push({ ...call, answer: () => {}, refuse: () => {} });
      return;
    }
    await this.#run(call, about, fate);
    if (fate === "crash-after") this.#die(process, `${about}, dies after`);
  }

  async #run(call: Call, about: string, fate: Fate): Promise<void> {
    const { process } = call;
    try {
      if (fate === "twice") await call.run();
      const result = await call.run();
      this.note(`${about} -> ${show(result)}${fate === "answered" ? "" : `, ${fate}`}`);
      if (fate === "answer-lost")
        call.refuse(new AsyncReplyError("STORE_UNAVAILABLE", "simulated: answer lost"));
      else if (fate !== "crash-after") this.#deliver(process, () => call.answer(result));
    } catch (error) {
      this.note(`${about} -> throws ${String(error)}`);
      call.refuse(error);
    }
  }

  /** An answer waits at the door of a process that is frozen. */
  #deliver(process: Process, answer: () => void): void {
    if (process.frozenUntil <= this.#now) answer();
    else this.#timers.add({ at: process.frozenUntil, process, task: answer });
  }

  #die(process: Process, note: string): void {
    this.note(note);
    process.die();
    this.#bury(process);
  }

  /** What a dead process had sent may still arrive; what it waited for may not. */
  #bury(process: Process): void {
    for (const timer of this.#timers) if (timer.process === process) this.#timers.delete(timer);
    for (const call of this.#calls.filter((pending) => pending.process === process)) {
      if (this.#choices.choose(2) === 0) this.#calls.splice(this.#calls.indexOf(call), 1);
    }
  }
}

function timeOf({ at, process }: Timer): number {
  return Math.max(at, process.frozenUntil);
}

/** Resolves when everything that can go on without the world has done so. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function show(result: unknown): string {
  return (
    JSON.stringify(result, (_, value) => (typeof value === "function" ? undefined : value)) ?? "done"
  ).slice(0, 160);
}
