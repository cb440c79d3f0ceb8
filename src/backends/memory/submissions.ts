import { withId } from "../../contract/operation.js";
import type { Submissions } from "../../ports/backend.js";
import type { RecordResult, Submission } from "../../ports/submission.js";
import type { MemoryIdempotencyStore } from "./idempotency-store.js";
import type { MemoryOperationStore } from "./operation-store.js";

/** Records and purges key and operation together, within one turn of the event loop. */
export class MemorySubmissions implements Submissions<never> {
  readonly operations: MemoryOperationStore;
  readonly idempotency: MemoryIdempotencyStore;

  constructor(operations: MemoryOperationStore, idempotency: MemoryIdempotencyStore) {
    this.operations = operations;
    this.idempotency = idempotency;
  }

  async record(submission: Submission): Promise<RecordResult> {
    return this.#recordNow(submission);
  }

  async recordMany(submissions: readonly Submission[]): Promise<readonly RecordResult[]> {
    // Nothing else can fail, so either all of them are recorded or none.
    this.operations.checkRoom(submissions.filter((each) => this.#adds(each)).length);
    return submissions.map((each) => this.#recordNow(each));
  }

  /** Returns whether recording the submission creates an operation. */
  #adds({ operation, fingerprint }: Submission): boolean {
    const { id, tenant, definition, key } = operation;
    const held = key === undefined ? undefined : this.idempotency.findNow({ tenant, definition, key });
    if (held !== undefined && held.operationId !== id && held.fingerprint !== fingerprint) return false;
    return this.operations.find(held?.operationId ?? id) === undefined;
  }

  #recordNow({ operation, fingerprint, initial }: Submission): RecordResult {
    const { id, tenant, definition, key } = operation;
    if (key === undefined) {
      this.operations.createNow(operation, initial);
      return { outcome: "created" };
    }
    const owner = { tenant, definition, key, fingerprint, operationId: id };
    const binding = this.idempotency.bindNow(owner);
    if (binding.outcome === "exists") {
      if (binding.fingerprint === fingerprint) {
        // A caller that uses the two stores separately may have stopped between them. This completes its submission.
        this.operations.createNow(withId(operation, binding.operationId), initial);
      }
      const known = this.operations.getNow(binding.operationId, tenant);
      return known === undefined
        ? { outcome: "in-progress", fingerprint: binding.fingerprint }
        : { outcome: "exists", operation: known, fingerprint: binding.fingerprint };
    }
    try {
      this.operations.createNow(operation, initial);
    } catch (error) {
      this.idempotency.releaseNow(owner);
      throw error;
    }
    return { outcome: "created" };
  }

  async purge(request: { readonly limit: number }): Promise<number> {
    const purged = this.operations.purgeNow(request);
    for (const { id, tenant, definition, key } of purged) {
      if (key !== undefined) this.idempotency.releaseNow({ tenant, definition, key, operationId: id });
    }
    return purged.length;
  }
}
