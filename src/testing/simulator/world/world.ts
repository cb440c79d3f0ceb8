import { AsyncReplyError } from "../../../contract/errors.js";
import type { Clock } from "../../../ports/runtime.js";
import { type Choices, recordedChoices } from "../choices.js";
import { chooseFate, type Fate, type Faults } from "./fates.js";

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

/** How a call can fail. */
interface CallOptions {
  /** By default everything that can happen to a call that may be repeated. */
  readonly fates?: Faults;
  /** Called if it never arrives. */
  readonly onDropped?: () => void;
}

interface Call extends CallOptions {
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
  /** How many calls of each name were made. */
  readonly #callsMade = new Map<string, number>();
  readonly #followed = new Set<Promise<void>>();
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

  /** Stops a process for a while: nothing in it goes on, but what it had sent arrives. */
  freeze(process: Process, ms: number): void {
    this.note(`${process.name} stands still`);
    process.frozenUntil = Math.max(process.frozenUntil, this.#now + ms);
  }

  /** Issues a call. It is done when it is its turn, and answered unless something goes wrong. */
  call<T>(process: Process, label: string, run: () => Promise<T>, options: CallOptions = {}): Promise<T> {
    if (process.dead) return new Promise(() => {});
    return new Promise<T>((resolve, reject) => {
      const answer = resolve as (result: unknown) => void;
      this.#calls.push({ ...options, process, label, issuedAt: this.#now, run, answer, refuse: reject });
    });
  }

  /** Lets nothing else happen before this is done, though no process waits for it. */
  follow(work: Promise<void>): void {
    const done = work.finally(() => this.#followed.delete(done));
    this.#followed.add(done);
  }

  /** Tells a process something, as soon as it does not stand still. */
  deliver(process: Process, news: () => void): void {
    if (process.frozenUntil <= this.#now) news();
    else this.#timers.add({ at: process.frozenUntil, process, task: news });
  }

  /** Lets one thing happen. */
  async step(): Promise<void> {
    await this.#quiet();
    this.#choices.nextStep();
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
    if (!this.#isDecided()) this.note("time jumps");
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
    await this.#quiet();
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
      await this.#quiet();
    }
    this.#now = Math.max(this.#now, at);
  }

  async #act(index: number): Promise<void> {
    const [call] = this.#calls.splice(index, 1);
    if (call === undefined) return;
    const fate = this.#fateOf(call);
    const { process, label } = call;
    const about = `${process.name}${process.dead ? " (dead)" : ""}: ${label}`;
    if (fate === "crash-before" || fate === "unavailable") call.onDropped?.();
    if (fate === "crash-before") return this.#die(process, `${about}, dies before`);
    if (fate === "unavailable" || fate === "late") {
      this.note(`${about}, ${fate}`);
      this.deliver(process, () =>
        call.refuse(new AsyncReplyError("STORE_UNAVAILABLE", `simulated: ${fate}`)),
      );
      if (fate === "late") this.#calls.push({ ...call, answer: () => {}, refuse: () => {} });
      return;
    }
    await this.#run(call, about, fate);
    if (fate === "crash-after") this.#die(process, `${about}, dies after`);
  }

  #fateOf({ process, label, fates }: Call): Fate {
    if (this.#faultsLeft === 0 || process.dead) return "answered";
    const name = label.replace(/\(.*/, "");
    const made = this.#callsMade.get(name) ?? 0;
    this.#callsMade.set(name, made + 1);
    const fate = chooseFate(this.#choices, made, fates);
    if (fate !== "answered") this.#faultsLeft -= 1;
    return fate;
  }

  async #run(call: Call, about: string, fate: Fate): Promise<void> {
    const { process } = call;
    try {
      if (fate === "twice") await call.run();
      const result = await call.run();
      this.note(`${about} -> ${show(result)}${fate === "answered" ? "" : `, ${fate}`}`);
      const lost = new AsyncReplyError("STORE_UNAVAILABLE", "simulated: answer lost");
      if (fate === "answer-lost") this.deliver(process, () => call.refuse(lost));
      else if (fate !== "crash-after") this.deliver(process, () => call.answer(result));
    } catch (error) {
      this.note(`${about} -> throws ${String(error)}`);
      this.deliver(process, () => call.refuse(error));
    }
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
      if (this.#choices.choose(2) === 1) continue;
      this.#calls.splice(this.#calls.indexOf(call), 1);
      call.onDropped?.();
    }
  }

  /** Resolves when everything that can go on without the world has done so. */
  async #quiet(): Promise<void> {
    await turn();
    while (this.#followed.size > 0) {
      await Promise.all(this.#followed);
      await turn();
    }
  }
}

function timeOf({ at, process }: Timer): number {
  return Math.max(at, process.frozenUntil);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function show(result: unknown): string {
  return (
    JSON.stringify(result, (_, value) => (typeof value === "function" ? undefined : value)) ?? "done"
  ).slice(0, 160);
}
