import type { OperationStore } from "async-request-reply";
import type {
  BegunOperation,
  Claimed,
  ClaimedDefinition,
  ClaimRequest,
  InitialState,
  NewOperation,
  Operation,
  Settlement,
} from "async-request-reply/ports";

type Calls<Name extends keyof OperationStore> = Pick<OperationStore, Name>;

/** Creates other operations. */
export function creating(
  store: Calls<"create">,
  change: (operation: NewOperation, initial?: InitialState) => NewOperation,
): Calls<"create"> {
  return { create: (operation, initial) => store.create(change(operation, initial), initial) };
}

/** Shows other operations, or hides them. */
export function reading(
  store: Calls<"get">,
  change: (operation: Operation) => Operation | undefined,
): Calls<"get"> {
  return {
    get: async (id, tenant) => {
      const operation = await store.get(id, tenant);
      return operation && change(operation);
    },
  };
}

/** Settles in another way. */
export function settling(
  store: Calls<"settle">,
  change: (settlement: Settlement) => Settlement,
): Calls<"settle"> {
  return { settle: (lease, settlement) => store.settle(lease, change(settlement)) };
}

type Retry = Extract<Settlement, { readonly to: "retry" }>;

/** Settles retries in another way. */
export function retrying(store: Calls<"settle">, change: (retry: Retry) => Retry): Calls<"settle"> {
  return settling(store, (settlement) => (settlement.to === "retry" ? change(settlement) : settlement));
}

/** Claims with another request. */
export function asking(store: Calls<"claim">, ask: (request: ClaimRequest) => ClaimRequest): Calls<"claim"> {
  return { claim: (request) => store.claim(ask(request)) };
}

/** Claims with other members of each definition. */
export function askingOf(
  store: Calls<"claim">,
  change: (definition: ClaimedDefinition, request: ClaimRequest) => Partial<ClaimedDefinition>,
): Calls<"claim"> {
  return asking(store, (request) => ({
    ...request,
    definitions: request.definitions.map((definition) => ({ ...definition, ...change(definition, request) })),
  }));
}

/** Answers claims with something else. */
export function answering(store: Calls<"claim">, answer: (claimed: Claimed) => Claimed): Calls<"claim"> {
  return { claim: async (request) => answer(await store.claim(request)) };
}

/** Answers claims with other attempts. */
export function beginning(
  store: Calls<"claim">,
  change: (attempt: BegunOperation) => BegunOperation,
): Calls<"claim"> {
  return answering(store, (claimed) => ({ ...claimed, begun: claimed.begun.map(change) }));
}

/** The answer of a claim that finds nothing. */
export const NOTHING: Claimed = { begun: [], ended: [], again: false, blocked: false };

/** Claims in another way if the request names an operation. */
export function claimingOne(
  store: Calls<"claim">,
  claimOne: (id: string, request: ClaimRequest) => Promise<Claimed>,
): Calls<"claim"> {
  return {
    claim: (request) =>
      request.operationId === undefined ? store.claim(request) : claimOne(request.operationId, request),
  };
}

/** Calls a function with each operation of which an attempt begins, and with its token. */
export function noting(
  store: Calls<"claim">,
  note: (operation: Operation, token: string) => void,
): Calls<"claim"> {
  const claim = store.claim.bind(store);
  return {
    claim: async (request) => {
      const claimed = await claim(request);
      for (const { operation } of claimed.begun) note(operation, request.token);
      return claimed;
    },
  };
}
