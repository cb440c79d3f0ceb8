import type { OperationStore } from "async-request-reply";
import type {
  BegunOperation,
  Claimed,
  ClaimedDefinition,
  ClaimRequest,
  Operation,
} from "async-request-reply/ports";

type Claim = OperationStore["claim"];
type Claiming = Pick<OperationStore, "claim">;

/** Claims with another request. */
export function asking(store: Claiming, ask: (request: ClaimRequest) => ClaimRequest): Claim {
  return (request) => store.claim(ask(request));
}

/** Claims with other members of each definition. */
export function askingOf(
  store: Claiming,
  change: (definition: ClaimedDefinition, request: ClaimRequest) => Partial<ClaimedDefinition>,
): Claim {
  return asking(store, (request) => ({
    ...request,
    definitions: request.definitions.map((definition) => ({ ...definition, ...change(definition, request) })),
  }));
}

/** Answers something else. */
export function answering(store: Claiming, answer: (claimed: Claimed) => Claimed): Claim {
  return async (request) => answer(await store.claim(request));
}

/** Answers with other attempts. */
export function beginning(store: Claiming, change: (attempt: BegunOperation) => BegunOperation): Claim {
  return answering(store, ({ begun, ...claimed }) => ({ ...claimed, begun: begun.map(change) }));
}

/** The answer of a claim that finds nothing. */
export const NOTHING: Claimed = { begun: [], ended: [], again: false, blocked: false };

/** Claims in another way if the request names an operation. */
export function claimingOne(
  store: Claiming,
  claimOne: (id: string, request: ClaimRequest) => Promise<Claimed>,
): Claim {
  return (request) =>
    request.operationId === undefined ? store.claim(request) : claimOne(request.operationId, request);
}

/** Calls a function with each operation of which an attempt begins, and with its token. */
export function noting(store: Claiming, note: (operation: Operation, token: string) => void): Claim {
  const claim = store.claim.bind(store);
  return async (request) => {
    const claimed = await claim(request);
    for (const { operation } of claimed.begun) note(operation, request.token);
    return claimed;
  };
}
