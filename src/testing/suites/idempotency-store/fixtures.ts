import type { Claim, ClaimResult, IdempotencyStore } from "../../../ports/idempotency-store.js";
import { createSystemRuntime } from "../../../ports/system-runtime.js";
import { isOutcome } from "../../expect.js";
import type { PortCheck, PortHarness } from "../port-case.js";

export type IdempotencyStoreCheck = PortCheck<IdempotencyStore, PortHarness<IdempotencyStore>>;

const runtime = createSystemRuntime();

/** Builds a claim of one key by a new operation, with the given members replaced. */
export function newClaim(members: Partial<Claim> = {}): Claim {
  const operationId = runtime.newId();
  return {
    tenant: "tenant-1",
    definition: "orders",
    key: "key-1",
    fingerprint: "1:abc",
    operationId,
    ...members,
  };
}

/** Claims a key that must be free. */
export async function claimed(store: IdempotencyStore, members: Partial<Claim> = {}): Promise<Claim> {
  const claim = newClaim(members);
  isOutcome(await store.claim(claim), "claimed", `claiming the free key ${JSON.stringify(claim.key)}`);
  return claim;
}

/** Expected result of a claim that comes too late. */
export function boundTo({ operationId, fingerprint }: Claim): ClaimResult {
  return { outcome: "exists", operationId, fingerprint };
}
