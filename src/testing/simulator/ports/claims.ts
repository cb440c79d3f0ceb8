import type { Claimed, ClaimRequest } from "../../../ports/claim.js";
import type { OperationStore } from "../../../ports/operation-store.js";
import type { Stage } from "../stage.js";
import { short } from "../world/names.js";
import type { Process } from "../world/process.js";

/** Wraps `claim` of a store for one process of the world. */
export function claimsOf(
  store: OperationStore,
  process: Process,
  { world, ledger }: Stage,
): OperationStore["claim"] {
  // Recorded when the claim happens, not when its answer arrives: the leases are live even if the answer gets lost.
  async function claim(request: ClaimRequest): Promise<Claimed> {
    const { token, definitions, operationId, repeated = false } = request;
    const claimed = await store.claim(request);
    const { begun, ended } = claimed;
    ledger.claims.begun(token, begun, repeated);
    const taken = operationId === undefined ? ledger.turns.taken(begun) : [];
    // The end of an operation can let the next one of its lane begin.
    for (const { id } of ended) ledger.endedByClaim(id);
    for (const attempt of begun) {
      const { operation } = attempt;
      world.note(
        `${process.name}: claim ${token} begins attempt ${operation.attempt} of ${short(operation.id)}`,
      );
      const leaseMs = definitions.find(({ name }) => name === operation.definition)?.leaseMs ?? 0;
      ledger.begun({ token, leaseMs }, attempt);
    }
    ledger.turns.claimed(process.name, taken);
    for (const { id, tenant } of ledger.readings.endedWhenBegun())
      ledger.readings.read(id, tenant, await store.get(id, tenant));
    return claimed;
  }

  return async (request) => {
    let calls = 0;
    const claimed = await world.call(process, `claim(${request.token})`, () => {
      calls += 1;
      // A call that arrives twice is one that the caller repeats.
      return claim(calls === 1 ? request : { ...request, repeated: true });
    });
    // Checked only when the answer arrives, because a worker never receives the answer to a late call.
    ledger.claims.answered(request.token, claimed.begun);
    return claimed;
  };
}
