import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import type { JsonText, Settlement } from "../../../contract/operation.js";
import { Deadlines } from "../../../platform/waits.js";
import type { Transactions } from "../../../ports/backend.js";
import type { Lease, OperationStore, SettleResult } from "../../../ports/operation-store.js";
import { KeptLease } from "../../../protocol/keep-lease.js";
import { insteadOf, isRefused } from "../../../protocol/refused-ending.js";
import { type CreateCall, type CreateSettings, permanentError, runCreate } from "./run-create.js";

export interface CreateResourceContext extends CreateSettings {
  readonly operations: OperationStore;
  /** If present, the resource is created in the transaction that settles the operation. */
  readonly transactions: Transactions<unknown> | undefined;
  readonly leaseMs: number;
  /** Time until a worker retries a creation that threw. Milliseconds. */
  readonly retryDelayMs: number;
  readonly onError: (error: unknown) => void;
}

export type CreatedOutcome =
  | { readonly outcome: "created"; readonly resource: JsonText }
  | { readonly outcome: "failed" }
  /** Another process holds the lease, or the operation has ended. */
  | { readonly outcome: "lost" }
  /** The creation threw. The operation stays hidden, and a retry follows. */
  | { readonly outcome: "not-created" };

/**
 * Creates the resource of a `preparing` operation under the caller's lease, and settles the operation (spec §4.1,
 * 201). After a crash, `create` is called again with the same operation id.
 */
export async function createResource(
  call: CreateCall,
  lease: Lease,
  context: CreateResourceContext,
): Promise<CreatedOutcome> {
  const { transactions, retryDelayMs, onError } = context;
  const stopping = new AbortController();
  const kept = keepWhileCreating(lease, stopping, context);
  let settlement: Settlement;
  try {
    if (transactions !== undefined)
      return await createAndSettle(call, lease, stopping, { ...context, transactions });
    settlement = { to: "prepared", resource: await runCreate(call, stopping, context) };
  } catch (error) {
    stopping.abort(error);
    onError(error);
    const permanent = permanentError(error);
    settlement =
      permanent === undefined
        ? { to: "retry", delayMs: retryDelayMs, countAttempt: false }
        : { to: "failed", error: permanent };
  } finally {
    kept.stop();
  }
  return settleCreation(lease, settlement, context);
}

/** Settles. If the store refuses the data, the operation fails with what the store can keep. */
export async function settleCreation(
  lease: Lease,
  settlement: Settlement,
  { operations, onError }: Pick<CreateResourceContext, "operations" | "onError">,
): Promise<CreatedOutcome> {
  try {
    return toOutcome(settlement, await operations.settle(lease, settlement));
  } catch (error) {
    const [other] = isRefused(error) ? insteadOf(settlement, {}) : [];
    if (other === undefined) throw error;
    onError(error);
    return toOutcome(other, await operations.settle(lease, other));
  }
}

async function createAndSettle(
  call: CreateCall,
  lease: Lease,
  stopping: AbortController,
  context: CreateResourceContext & { readonly transactions: Transactions<unknown> },
): Promise<CreatedOutcome> {
  let settlement: Settlement | undefined;
  const create = async (tx: unknown): Promise<Settlement> => {
    settlement = { to: "prepared", resource: await runCreate(call, stopping, context, { tx }) };
    return settlement;
  };
  try {
    const settled = await context.transactions.settle(lease, create, { signal: stopping.signal });
    return settlement === undefined ? { outcome: "lost" } : toOutcome(settlement, settled);
  } catch (error) {
    const isRefusal = isAsyncReplyError(error) && error.code === "INVALID_RESULT";
    const [other] = isRefusal && settlement !== undefined ? insteadOf(settlement, {}) : [];
    if (other === undefined) throw error;
    context.onError(error);
    return settleCreation(lease, other, context);
  }
}

function toOutcome(settlement: Settlement, settled: SettleResult): CreatedOutcome {
  if (settled.outcome === "lost") return settled;
  if (settlement.to === "prepared") return { outcome: "created", resource: settlement.resource };
  return { outcome: settlement.to === "failed" ? "failed" : "not-created" };
}

function keepWhileCreating(
  lease: Lease,
  stopping: AbortController,
  { operations, leaseMs, clock, onError }: CreateResourceContext,
): KeptLease {
  const onLost = (): void =>
    stopping.abort(
      new AsyncReplyError("LEASE_LOST", "Another process has taken over the creation of the resource."),
    );
  const holder = { onLost, onCancelRequested: () => {}, onRenewalFailed: onError };
  return new KeptLease(lease, leaseMs, holder, { operations, clock, deadlines: new Deadlines(clock, 1) });
}
