import type { Settlement } from "../../../contract/operation.js";
import type { Job } from "../../../worker/attempt/job.js";
import { type DefinitionName, PROCESSOR_OPTIONS } from "../actors/options.js";
import type { Process } from "../world/world.js";
import type { Entries, Entry } from "./entry.js";

/** Sees that attempts run as the options of their processor say (I15). */
export class Attempts {
  readonly #entries: Entries;
  /** The jobs that run in each process. */
  readonly #running = new Map<Process, Set<Job>>();
  /** How often the processor of each operation was called. */
  readonly #runs = new Map<string, number>();
  /** How many attempts on each operation were given back without being counted. */
  readonly #givenBack = new Map<string, number>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Calls a processor for one attempt. */
  async run<T>(process: Process, name: DefinitionName, job: Job, work: () => Promise<T>): Promise<T> {
    const jobs = this.#running.get(process) ?? new Set();
    this.#running.set(process, jobs.add(job));
    this.#checkConcurrency(jobs, name);
    this.#checkCount(job, name);
    try {
      return await work();
    } finally {
      jobs.delete(job);
    }
  }

  /** An attempt was begun or renewed with this lease. */
  leased({ id, recorded }: Entry, leaseMs: number): void {
    const options = optionsOf(recorded.definition);
    if (options !== undefined && options.leaseMs !== leaseMs)
      this.#violated(`${id} has a lease of ${leaseMs} ms, and its definition has one of ${options.leaseMs}`);
  }

  /** The current attempt on an operation was settled. */
  settled({ id, attempt, recorded }: Entry, settlement: Settlement): void {
    if (settlement.to !== "retry") return;
    if (!settlement.countAttempt) {
      add(this.#givenBack, id);
      return;
    }
    const { baseMs, maxMs } = optionsOf(recorded.definition)?.backoff ?? ANY;
    const longest = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
    if (settlement.delayMs > longest)
      this.#violated(
        `${id} waits ${settlement.delayMs} ms for another attempt, at most ${longest} are right`,
      );
  }

  /** An attempt that is interrupted does not count, though its processor may go on for a while. */
  #checkConcurrency(jobs: ReadonlySet<Job>, name: DefinitionName): void {
    const running = [...jobs].filter(({ signal }) => !signal.aborted);
    const own = running.filter(({ operationId }) => this.#definitionOf(operationId) === name);
    const { concurrency } = PROCESSOR_OPTIONS[name];
    if (own.length > concurrency)
      this.#violated(`a worker has ${own.length} attempts on ${name} at once, not ${concurrency}`);
  }

  #checkCount({ operationId, attempt }: Job, name: DefinitionName): void {
    add(this.#runs, operationId);
    const { maxAttempts } = PROCESSOR_OPTIONS[name];
    const runs = this.#runs.get(operationId) ?? 0;
    if (attempt > maxAttempts || runs > maxAttempts + (this.#givenBack.get(operationId) ?? 0))
      this.#violated(`${operationId} has run ${runs} times, now as attempt ${attempt} of ${maxAttempts}`);
  }

  #definitionOf(id: string): string | undefined {
    return this.#entries.get(id)?.recorded.definition;
  }

  #violated(what: string): void {
    this.#entries.violated("I15", what);
  }
}

const ANY = { baseMs: Number.POSITIVE_INFINITY, maxMs: Number.POSITIVE_INFINITY };

function optionsOf(definition: string): (typeof PROCESSOR_OPTIONS)[DefinitionName] | undefined {
  return PROCESSOR_OPTIONS[definition as DefinitionName];
}

function add(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
