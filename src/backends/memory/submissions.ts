import type { Submissions } from "../../ports/backend.js";
import type { KeyBinding, KeyReference } from "../../ports/idempotency-store.js";
import type { RecordResult, Submission } from "../../ports/submission.js";
import type { MemoryIdempotencyStore } from "./idempotency-store.js";
import type { MemoryOperationStore } from "./operation-store.js";

/** Records and purges key and operation together, within one turn of the event loop. */
export class MemorySubmissions implements Submissions<never> {
  readonly #operations: MemoryOperationStore;
  readonly #keys: MemoryIdempotencyStore;

  constructor(operations: MemoryOperationStore, keys: MemoryIdempotencyStore) {
    this.#operations = operations;
    this.#keys = keys;
  }

  async record(submission: Submission): Promise<RecordResult> {
    return this.#recordNow(submission);
  }

  async recordMany(submissions: readonly Submission[]): Promise<readonly RecordResult[]> {
    // Nothing else can fail, so either all of them are recorded or none.
    this.#operations.checkRoom(submissions.filter((each) => this.#adds(each)).length);
    return submissions.map((each) => this.#recordNow(each));
  }

  async findKey(
    reference: KeyReference,
  ): Promise<Pick<KeyBinding, "operationId" | "fingerprint"> | undefined> {
    return this.#keys.findNow(reference);
  }

  /** Returns whether recording the submission creates an operation. */
  #adds({ operation: { id, tenant, definition, key } }: Submission): boolean {
    const isBound = key !== undefined && this.#keys.findNow({ tenant, definition, key }) !== undefined;
    return !isBound && this.#operations.find(id) === undefined;
  }

  #recordNow({ operation, fingerprint, initial }: Submission): RecordResult {
    const { id, tenant, definition, key } = operation;
    if (key === undefined) {
      this.#operations.createNow(operation, initial);
      return CREATED;
    }
    const owner = { tenant, definition, key, fingerprint, operationId: id };
    const binding = this.#keys.bindNow(owner);
    if (binding.outcome === "exists") {
      const { operationId, fingerprint: held } = binding;
      const known = this.#operations.getNow(operationId, tenant);
      return known === undefined
        ? { outcome: "in-progress", fingerprint: held }
        : { outcome: "exists", operation: known, fingerprint: held };
    }
    try {
      this.#operations.createNow(operation, initial);
    } catch (error) {
      this.#keys.releaseNow(owner);
      throw error;
    }
    return CREATED;
  }

  async purge(request: { readonly limit: number }): Promise<number> {
    const purged = this.#operations.purgeNow(request);
    for (const { id, tenant, definition, key } of purged) {
      if (key !== undefined) this.#keys.releaseNow({ tenant, definition, key, operationId: id });
    }
    return purged.length;
  }
}

const CREATED = { outcome: "created" } as const;
