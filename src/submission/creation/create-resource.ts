import { AsyncReplyError } from "../../contract/errors.js";
import type { JsonText, Settlement } from "../../contract/operation.js";
import type { Transactions } from "../../ports/backend.js";
import type { Lease, OperationStore, SettleResult } from "../../ports/operation-store.js";
import { keepLease } from "../../protocol/keep-lease.js";
import { type CreateCall, type CreateLimits, permanentError, runCreate } from "./run-create.js";

export interface CreateResourceContext extends CreateLimits {
  readonly operations: OperationStore;
  /** Where there are any, the resource is created in the transaction that settles it. */
  readonly transactions: Transactions<unknown> | undefined;
  readonly leaseMs: number;
  /** When a creation that threw is tried again by a worker. */
  readonly retryDelayMs: number;
  readonly onError: (error: unknown) => void;
}

export type CreatedOutcome =
  | { readonly outcome: "created"; readonly resource: JsonText }
  | { readonly outcome: "failed" }
  /** Somebody else holds the lease, or has ended the operation. */
  | { readonly outcome: "lost" }
  /** It threw; the operation stays hidden and is tried again. */
  | { readonly outcome: "not-created" };

/**
 * Creates the resource of an operation that is `preparing`, under a lease that the caller holds, and settles it: the
 * 201 of spec §4.1. Whoever takes over after a crash calls it again with the same operation id.
 */
export async function createResource(
  call: CreateCall,
  lease: Lease,
  context: CreateResourceContext,
): Promise<CreatedOutcome> {
  const { operations, transactions, retryDelayMs, onError } = context;
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
  return toOutcome(settlement, await operations.settle(lease, settlement));
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
  const settled = await context.transactions.settle(lease, create, { signal: stopping.signal });
  return settlement === undefined ? { outcome: "lost" } : toOutcome(settlement, settled);
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
): { stop(): void } {
  const onLost = (): void =>
    stopping.abort(new AsyncReplyError("LEASE_LOST", "Somebody else creates the resource."));
  return keepLease({ operations, lease, leaseMs, clock, onLost, onCancelRequested: () => {}, onError });
}
