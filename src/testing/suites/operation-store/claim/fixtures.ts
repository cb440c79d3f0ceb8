import type { Claimed, ClaimedDefinition, ClaimRequest } from "../../../../ports/claim.js";
import type { Lease, OperationStore } from "../../../../ports/operation-store.js";
import { LONG_MS, newToken } from "../fixtures.js";

/** Members of a request. Default: all slots that it may need, of the definition `orders`, for everything. */
export type Wanted = Partial<ClaimedDefinition> & Partial<Pick<ClaimRequest, "limit" | "token" | "repeated">>;

/** More than any case creates. */
const MANY = 100;

/** Claims work of one definition. */
export function claim(
  store: OperationStore,
  { limit = MANY, token = newToken(), repeated, ...members }: Wanted = {},
): Promise<Claimed> {
  const definition = {
    name: "orders",
    slots: MANY,
    leaseMs: LONG_MS,
    suspects: MANY,
    lanes: true,
    ...members,
  };
  return claimOf(store, { token, limit, definitions: [definition], ...(repeated && { repeated }) });
}

/** Claims work. */
export function claimOf(store: OperationStore, request: ClaimRequest): Promise<Claimed> {
  if (store.claim === undefined)
    throw new Error(
      "The harness declares `claim`, but the store has no `claim`. Add it, or remove the capability.",
    );
  return store.claim(request);
}

/** Returns the ids of what began, sorted. */
export function idsOf({ begun }: Pick<Claimed, "begun">): readonly string[] {
  return begun.map(({ operation }) => operation.id).sort();
}

/** Returns the lease of an operation that a claim with this token began. */
export function leaseOf(operationId: string, token: string): Lease {
  return { operationId, token };
}
