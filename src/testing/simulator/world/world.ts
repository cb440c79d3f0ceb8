import { AsyncReplyError } from "../../../contract/errors.js";
import type { Clock } from "../../../ports/runtime.js";
import { type Choices, recordedChoices } from "../choices.js";
import { chooseFate, type Fate, type Faults } from "./fates.js";
import type { Process } from "./process.js";

const START = Date.UTC(2030, 0, 1);

/**
 * Maximum time that a call stays under way. No design could tolerate a call that arrives after the grace of a purge.
 */
export const MAX_LATENESS_MS = 60_000;

/** Limit of calls before time moves on, in case a back end makes its callers repeat calls forever. */
const MAX_CALLS_AT_ONCE = 1_000;

const JUMPS_MS = [31_000, 301_000, 3_601_000, 7 * 86_400_000 + 1_000];

/** Options of a call that decide how it can fail. */
interface CallOptions {
  /** Possible faults. Default: every fault of a call that can be repeated. */
  readonly fates?: Faults;
  /** How many later calls of its name and process overtake a call with the fate `late`. Default: 0, so chance decides. */
  readonly overtakenBy?: number;
  /** Called if the call never arrives. */
  readonly onDropped?: () => void;
}

interface Call extends CallOptions {
  readonly process: Process;
  readonly label: string;
  readonly issuedAt: number;
  /** Number of calls of its name and process that run before it. */
  readonly isAfter: number;
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
 * Runs one history, with virtual time, processes, and the calls between processes and ports. One event happens at a
 * time, and the choices decide which.
 */
export class World {
  readonly trace: string[] = [];
  #choices: Choices;
  readonly #calls: Call[] = [];
  readonly #timers = new Set<Timer>();
  /** Number of calls so far, by name. */
  readonly #callsMade = new Map<string, number>();
  /** Number of calls that have run, by process and name. */
  readonly #ran = new Map<string, number>();
  readonly #blocking = new Set<Promise<void>>();
  #now = START;
  #faultsLeft: number;
  #jumpsLeft: number;
  #isCalm = true;
  readonly #isDecided: () => boolean;

  /** `isDecided` returns whether the result is already known, so that time can move on without running late calls. */
  constructor(choices: Choices, faults: number, isDecided: () => boolean) {
    this.#choices = choices;
    this.#isDecided = isDecided;
    this.#faultsLeft = faults;
    this.#jumpsLeft = faults;
  }

  get now(): number {
    return this.#now;
  }

  /** Whether no call has failed, no process was frozen, and the clock has not jumped. */
  get isCalm(): boolean {
    return this.#isCalm;
  }

  get choices(): Choices {
    return this.#choices;
  }

  /** Stops all faults and all random choices from now on. */
  stopFaults(): void {
    this.#faultsLeft = 0;
    this.#jumpsLeft = 0;
    this.#choices = recordedChoices([]);
  }

  note(line: string): void {
    this.trace.push(`${String((this.#now - START) / 1_000).padStart(9)}s  ${line}`);
  }

  /** Returns the clock of a process. For a store, pass a process that never dies. */
  clockOf(process: Process): Clock {
    return {
      now: () => this.#now,
      elapsed: () => this.#now,
      schedule: (delayMs, task) => {
        if (process.dead) return () => {};
        const timer = { at: this.#now + Math.max(0, delayMs), process, task };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
    };
  }

  /** Freezes a process for a while. Nothing in it runs, but calls that it has already sent arrive. */
  freeze(process: Process, ms: number): void {
    this.note(`${process.name} freezes`);
    this.#isCalm = false;
    process.frozenUntil = Math.max(process.frozenUntil, this.#now + ms);
  }

  /** Issues a call. A later step runs it, and its answer arrives unless a fault prevents it. */
  call<T>(process: Process, label: string, run: () => Promise<T>, options: CallOptions = {}): Promise<T> {
    if (process.dead) return new Promise(() => {});
    return new Promise<T>((resolve, reject) => {
      const answer = resolve as (result: unknown) => void;
      const call = { ...options, process, label, issuedAt: this.#now, isAfter: 0, run };
      this.#calls.push({ ...call, answer, refuse: reject });
    });
  }

  /** Delays the next event until this promise settles, although no process waits for it. */
  blockOn(work: Promise<void>): void {
    const done = work.finally(() => this.#blocking.delete(done));
    this.#blocking.add(done);
  }

  /** Runs a callback in a process, as soon as the process is not frozen. */
  deliver(process: Process, callback: () => void): void {
    if (process.frozenUntil <= this.#now) callback();
    else this.#timers.add({ at: process.frozenUntil, process, task: callback });
  }

  /** Lets one event happen. */
  async step(): Promise<void> {
    await this.#quiet();
    this.#choices.nextStep();
    const arriving = this.#calls.filter((call) => call.isAfter <= this.#ranLike(call));
    const acts = arriving.length > 0;
    const action = this.#choices.weighted([
      ["act", acts ? 24 : 0],
      ["wait", acts ? 4 : 24],
      ["jump", this.#jumpsLeft > 0 ? 1 : 0],
    ]);
    if (action === "act") return this.#act(arriving[this.#choices.choose(arriving.length)]);
    if (action === "wait") return this.#wait();
    this.#jumpsLeft -= 1;
    this.#isCalm = false;
    await this.#moveTo(this.#now + (JUMPS_MS[this.#choices.choose(JUMPS_MS.length)] ?? 0));
    if (!this.#isDecided()) this.note("the clock jumps");
  }

  /** Fires the next timer, after the calls that would otherwise be too late. */
  async #wait(): Promise<void> {
    const next = this.#nextTimer();
    if (next === undefined) {
      await this.#act(this.#calls[0]);
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
    // An answer can make a process issue another call that is as late.
    for (let acts = 0; acts < MAX_CALLS_AT_ONCE && !this.#isDecided(); acts += 1) {
      const late = this.#calls.find(({ issuedAt }) => issuedAt + MAX_LATENESS_MS < at);
      if (late === undefined) break;
      await this.#act(late);
      await this.#quiet();
    }
    this.#now = Math.max(this.#now, at);
  }

  async #act(call: Call | undefined): Promise<void> {
    if (call === undefined) return;
    this.#calls.splice(this.#calls.indexOf(call), 1);
    const fate = this.#fateOf(call);
    const { process, label } = call;
    const about = `${process.name}${process.dead ? " (dead)" : ""}: ${label}`;
    if (fate === "crash-before" || fate === "unavailable") call.onDropped?.();
    if (fate === "crash-before") return this.#die(process, `${about}, ${fate}`);
    if (fate === "unavailable" || fate === "late") {
      this.note(`${about}, ${fate}`);
      this.deliver(process, () =>
        call.refuse(new AsyncReplyError("STORE_UNAVAILABLE", `simulated: ${fate}`)),
      );
      if (fate === "late") this.#sendLater(call);
      return;
    }
    await this.#run(call, about, fate);
    if (fate === "crash-after") this.#die(process, `${process.name} dies`);
  }

  /** Lets a call arrive of which its caller no longer expects an answer. */
  #sendLater(call: Call): void {
    const isAfter = this.#ranLike(call) + (call.overtakenBy ?? 0);
    this.#calls.push({ ...call, isAfter, answer: () => {}, refuse: () => {} });
  }

  /** Returns how many calls of the same name and process have run. */
  #ranLike(call: Call): number {
    return this.#ran.get(kindOf(call)) ?? 0;
  }

  #fateOf({ process, label, fates }: Call): Fate {
    if (this.#faultsLeft === 0 || process.dead) return "answered";
    const name = nameOf(label);
    const made = this.#callsMade.get(name) ?? 0;
    this.#callsMade.set(name, made + 1);
    const fate = chooseFate(this.#choices, made, fates);
    if (fate !== "answered") {
      this.#faultsLeft -= 1;
      this.#isCalm = false;
    }
    return fate;
  }

  async #run(call: Call, about: string, fate: Fate): Promise<void> {
    const { process } = call;
    this.#ran.set(kindOf(call), this.#ranLike(call) + 1);
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

  /** Removes the timers of a dead process. Calls that it has sent may still arrive. */
  #bury(process: Process): void {
    for (const timer of this.#timers) if (timer.process === process) this.#timers.delete(timer);
    for (const call of this.#calls.filter((pending) => pending.process === process)) {
      if (this.#choices.choose(2) === 1) continue;
      this.#calls.splice(this.#calls.indexOf(call), 1);
      call.onDropped?.();
    }
  }

  /** Resolves when all work that does not depend on the next event is done. */
  async #quiet(): Promise<void> {
    await turn();
    while (this.#blocking.size > 0) {
      await Promise.all(this.#blocking);
      await turn();
    }
  }
}

function timeOf({ at, process }: Timer): number {
  return Math.max(at, process.frozenUntil);
}

function nameOf(label: string): string {
  return label.replace(/\(.*/, "");
}

function kindOf({ process, label }: Pick<Call, "process" | "label">): string {
  return `${process.name} ${nameOf(label)}`;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function show(result: unknown): string {
  return (
    JSON.stringify(result, (_, value) => (typeof value === "function" ? undefined : value)) ?? "done"
  ).slice(0, 160);
}
