import type { Settlement } from "../../../contract/operation.js";
import type { Job } from "../../../worker/attempt/job.js";
import { type DefinitionName, LEAST_RANDOM, PROCESSOR_OPTIONS } from "../actors/options.js";
import type { Process } from "../world/process.js";
import type { Entries, Entry } from "./entry.js";
import type { Outputs } from "./outputs.js";

/** Checks that attempts follow the options of their processor (I15), and that jobs name the first submitter (I8). */
export class Attempts {
  readonly #entries: Entries;
  readonly #outputs: Outputs;
  /** Running jobs of each process. */
  readonly #running = new Map<Process, Set<Job>>();
  /** Number of times that the processor was called for each operation since its last checkpoint. */
  readonly #runs = new Map<string, number>();
  /** Number of attempts of each operation since then that were released without being counted. */
  readonly #released = new Map<string, number>();
  /** Number of each attempt counted from the last checkpoint, when its processor was called. */
  readonly #tries = new Map<string, number>();

  constructor(entries: Entries, outputs: Outputs) {
    this.#entries = entries;
    this.#outputs = outputs;
  }

  /** Checks the limits of one attempt, and runs its processor. */
  async run<T>(process: Process, name: DefinitionName, job: Job, work: () => Promise<T>): Promise<T> {
    const jobs = this.#running.get(process) ?? new Set();
    this.#running.set(process, jobs.add(job));
    this.#checkConcurrency(jobs, name);
    this.#checkCount(job, name);
    this.#checkPrincipal(job);
    try {
      return await work();
    } finally {
      jobs.delete(job);
    }
  }

  /** Records that an attempt began or renewed its lease. */
  leased({ id, recorded }: Entry, leaseMs: number): void {
    const options = optionsOf(recorded.definition);
    if (options !== undefined && options.leaseMs !== leaseMs)
      this.#violated(`${id} has a lease of ${leaseMs} ms, expected ${options.leaseMs} ms`);
  }

  /** Records that an attempt saved a checkpoint, or may have. Attempts count from there. */
  saved(id: string): void {
    this.#runs.set(id, 1);
    this.#released.delete(id);
  }

  /** Records that the current attempt of an operation was settled. */
  settled(entry: Entry, settlement: Settlement): void {
    const { id, attempt, recorded } = entry;
    if (settlement.to !== "retry") return;
    if (!settlement.countAttempt) {
      add(this.#released, id);
      return;
    }
    const { baseMs, maxMs } = optionsOf(recorded.definition)?.backoff ?? UNLIMITED;
    const limitOf = (tries: number): number => Math.min(maxMs, baseMs * 2 ** (tries - 1));
    // A worker can save a checkpoint without an answer.
    const longest = limitOf(this.#tries.get(`${id} ${attempt}`) ?? attempt);
    const shortest = limitOf(attempt - this.#outputs.attemptsBefore(id));
    if (settlement.delayMs > longest)
      this.#violated(
        `${id} waits ${settlement.delayMs} ms before its next attempt, the limit is ${longest} ms`,
      );
    // Random numbers of a history are at least LEAST_RANDOM.
    if (longest < Number.POSITIVE_INFINITY && settlement.delayMs < Math.floor(shortest * LEAST_RANDOM))
      this.#violated(`${id} waits only ${settlement.delayMs} ms before its next attempt`);
  }

  /**
   * Checks the limit of concurrent attempts. Aborted attempts do not count, although their processor may still run.
   */
  #checkConcurrency(jobs: ReadonlySet<Job>, name: DefinitionName): void {
    const running = [...jobs].filter(({ signal }) => !signal.aborted);
    const own = running.filter(({ operationId }) => this.#definitionOf(operationId) === name);
    const { concurrency } = PROCESSOR_OPTIONS[name];
    if (own.length > concurrency)
      this.#violated(`a worker runs ${own.length} attempts of ${name} at once, the limit is ${concurrency}`);
  }

  #checkCount({ operationId, attempt }: Job, name: DefinitionName): void {
    const { maxAttempts } = PROCESSOR_OPTIONS[name];
    const tries = attempt - this.#outputs.attemptsBefore(operationId);
    this.#tries.set(`${operationId} ${attempt}`, tries);
    // Otherwise its process was frozen until another attempt had saved a checkpoint.
    if (tries > 0) add(this.#runs, operationId);
    const runs = this.#runs.get(operationId) ?? 0;
    if (tries > maxAttempts || runs > maxAttempts + (this.#released.get(operationId) ?? 0))
      this.#violated(`${operationId} ran ${runs} times, now attempt ${tries} of at most ${maxAttempts}`);
  }

  #checkPrincipal({ operationId, principal }: Job): void {
    const entry = this.#entries.get(operationId);
    if (entry !== undefined && entry.recorded.principal !== principal)
      this.#entries.violated("I8", `the job of ${operationId} names the principal ${principal}`);
  }

  #definitionOf(id: string): string | undefined {
    return this.#entries.get(id)?.recorded.definition;
  }

  #violated(what: string): void {
    this.#entries.violated("I15", what);
  }
}

const UNLIMITED = { baseMs: Number.POSITIVE_INFINITY, maxMs: Number.POSITIVE_INFINITY };

function optionsOf(definition: string): (typeof PROCESSOR_OPTIONS)[DefinitionName] | undefined {
  return PROCESSOR_OPTIONS[definition as DefinitionName];
}

function add(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
