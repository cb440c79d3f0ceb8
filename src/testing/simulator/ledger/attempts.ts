import type { Settlement } from "../../../contract/operation.js";
import type { Job } from "../../../worker/attempt/job.js";
import { type DefinitionName, LEAST_RANDOM, PROCESSOR_OPTIONS } from "../actors/options.js";
import type { Process } from "../world/world.js";
import type { Entries, Entry } from "./entry.js";

/** Checks that attempts follow the options of their processor (I15), and that jobs name the first submitter (I8). */
export class Attempts {
  readonly #entries: Entries;
  /** Running jobs of each process. */
  readonly #running = new Map<Process, Set<Job>>();
  /** Number of times that the processor was called for each operation. */
  readonly #runs = new Map<string, number>();
  /** Number of attempts of each operation that were released without being counted. */
  readonly #released = new Map<string, number>();

  constructor(entries: Entries) {
    this.#entries = entries;
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

  /** Records that the current attempt of an operation was settled. */
  settled({ id, attempt, recorded }: Entry, settlement: Settlement): void {
    if (settlement.to !== "retry") return;
    if (!settlement.countAttempt) {
      add(this.#released, id);
      return;
    }
    const { baseMs, maxMs } = optionsOf(recorded.definition)?.backoff ?? UNLIMITED;
    const longest = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
    if (settlement.delayMs > longest)
      this.#violated(
        `${id} waits ${settlement.delayMs} ms before its next attempt, the limit is ${longest} ms`,
      );
    // Random numbers of a history are at least LEAST_RANDOM.
    if (longest < Number.POSITIVE_INFINITY && settlement.delayMs < Math.floor(longest * LEAST_RANDOM))
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
    add(this.#runs, operationId);
    const { maxAttempts } = PROCESSOR_OPTIONS[name];
    const runs = this.#runs.get(operationId) ?? 0;
    if (attempt > maxAttempts || runs > maxAttempts + (this.#released.get(operationId) ?? 0))
      this.#violated(`${operationId} ran ${runs} times, now attempt ${attempt} of at most ${maxAttempts}`);
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
