import { AsyncReplyError } from "../../core/errors.js";
import type { RecordResult, Submission, Submissions } from "../../ports/backend.js";
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

  async record({ operation, fingerprint, initial }: Submission): Promise<RecordResult> {
    const { id, scope, definition, key } = operation;
    if (key === undefined) {
      this.operations.createNow(operation, initial);
      return { outcome: "created" };
    }
    const owner = { scope, definition, key, fingerprint, operationId: id };
    const claim = this.idempotency.claimNow(owner);
    if (claim.outcome === "exists") {
      if (claim.fingerprint === fingerprint) {
        // Whoever uses the two stores one by one may be between them: this helps such a submission to its end.
        this.operations.createNow({ ...operation, id: claim.operationId }, initial);
      }
      const known = this.operations.getNow(claim.operationId, scope);
      if (known !== undefined) return { outcome: "exists", operation: known, fingerprint: claim.fingerprint };
      throw new AsyncReplyError(
        "IDEMPOTENCY_KEY_REUSED",
        "The key belongs to a submission with another payload.",
      );
    }
    try {
      this.operations.createNow(operation, initial);
    } catch (error) {
      this.idempotency.releaseNow(owner);
      throw error;
    }
    return { outcome: "created" };
  }

  async purge(request: { readonly retentionMs: number; readonly limit: number }): Promise<number> {
    const expired = this.operations.takeExpiredNow(request);
    for (const { id, scope, definition, key } of expired) {
      if (key !== undefined) this.idempotency.releaseNow({ scope, definition, key, operationId: id });
      this.operations.forgetNow(id);
    }
    return expired.length;
  }
}
