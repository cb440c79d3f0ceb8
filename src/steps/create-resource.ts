import type { CreatedResource, OperationDefinition } from "../core/definition.js";
import { AsyncReplyError, isAsyncReplyError } from "../core/errors.js";
import { toJsonText } from "../core/json-text.js";
import type { JsonText, Settlement } from "../core/operation.js";
import { operationError } from "../core/problem.js";
import type { Lease, OperationStore } from "../ports/operation-store.js";
import type { Clock } from "../ports/runtime.js";
import { keepLease } from "./keep-lease.js";
import { withinTime } from "./within-time.js";

export interface CreateResourceContext {
  readonly operations: OperationStore;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** After so long the creation counts as failed, whatever it still does. */
  readonly createTimeoutMs: number;
  readonly maxResultBytes: number;
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
export async function createResource<Output>(
  definition: OperationDefinition<string, Output>,
  input: Output,
  lease: Lease,
  context: CreateResourceContext,
): Promise<CreatedOutcome> {
  const settlement = await attempt(definition, input, lease, context);
  const settled = await context.operations.settle(lease, settlement);
  if (settled.outcome === "lost") return settled;
  if (settlement.to === "prepared") return { outcome: "created", resource: settlement.resource };
  return { outcome: settlement.to === "failed" ? "failed" : "not-created" };
}

async function attempt<Output>(
  definition: OperationDefinition<string, Output>,
  input: Output,
  lease: Lease,
  context: CreateResourceContext,
): Promise<Settlement> {
  const { operations, clock, leaseMs, createTimeoutMs, maxResultBytes, retryDelayMs, onError } = context;
  const stopping = new AbortController();
  const lost = (): void =>
    stopping.abort(new AsyncReplyError("LEASE_LOST", "Somebody else creates the resource."));
  const kept = keepLease({
    operations,
    lease,
    leaseMs,
    clock,
    onLost: lost,
    onCancelRequested: () => {},
    onError,
  });
  const { operationId } = lease;
  try {
    const creating = Promise.resolve().then(() =>
      definition.create?.(input, { operationId, signal: stopping.signal }),
    );
    const resource = await withinTime(creating, createTimeoutMs, clock, tookTooLong);
    return { to: "prepared", resource: resourceText(resource, maxResultBytes) };
  } catch (error) {
    stopping.abort(error);
    onError(error);
    if (isAsyncReplyError(error) && error.code === "PERMANENT_FAILURE") {
      return { to: "failed", error: operationError("work-failed", error.detail) };
    }
    return { to: "retry", delayMs: retryDelayMs, countAttempt: false };
  } finally {
    kept.stop();
  }
}

/** The stored form of what `create` gave: what every 201 of this operation shows. */
function resourceText(resource: CreatedResource | undefined, maxBytes: number): JsonText {
  const { body, location } = resource ?? ({} as Partial<CreatedResource>);
  if (
    typeof body !== "object" ||
    body === null ||
    !(location === undefined || typeof location === "string")
  ) {
    throw new AsyncReplyError("INVALID_RESULT", "`create` must return `{ body, location? }`.");
  }
  return toJsonText(
    { body, ...(location === undefined ? {} : { location: toUriReference(location) }) },
    maxBytes,
  );
}

/** Percent-encodes what no URI can hold (RFC 3986 §2), above all what would end the header field that it goes into. */
function toUriReference(location: string): string {
  return location.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}

function tookTooLong(): AsyncReplyError {
  return new AsyncReplyError("ATTEMPT_TIMEOUT", "The creation of the resource took too long.");
}
