import type { NewOperation, Operation, SeparateOperationStore } from "async-request-reply/ports";
import type { ManualClock } from "async-request-reply/testing";
import { allOperations } from "../../support/all-operations.js";
import { overriding } from "./prove.js";

/** A store that exposes the state that broken stores on top of it need. */
export interface TrackedStore extends SeparateOperationStore {
  /** Created operations by id. */
  readonly created: Map<string, NewOperation>;
  /** Token of the current or latest attempt, by operation id. */
  readonly tokens: Map<string, string>;
  /** End of the current or latest lease, by operation id. */
  readonly leaseEndsAt: Map<string, number>;
  /** Reads an operation of any tenant, hidden or not. */
  look(id: string): Promise<Operation | undefined>;
  /** Reads every operation. */
  all(): Promise<readonly Operation[]>;
  /** Takes the current attempt away from its holder, so that the next caller begins. */
  seize(id: string): Promise<void>;
}

export function trackedStore(store: SeparateOperationStore, clock: ManualClock): TrackedStore {
  const created = new Map<string, NewOperation>();
  const tokens = new Map<string, string>();
  const leaseEndsAt = new Map<string, number>();
  const leased = (id: string, token: string, leaseMs: number): void => {
    tokens.set(id, token);
    leaseEndsAt.set(id, clock.now() + leaseMs);
  };
  const all = (): Promise<readonly Operation[]> => allOperations(store);
  const tracked: Partial<TrackedStore> = {
    created,
    tokens,
    leaseEndsAt,
    all,
    look: async (id) => (await all()).find((operation) => operation.id === id),
    seize: async (id) => {
      const lease = { operationId: id, token: tokens.get(id) ?? "" };
      await store.settle(lease, { to: "retry", delayMs: 0, countAttempt: true });
    },
    create: async (operation, initial) => {
      const outcome = await store.create(operation, initial);
      if (outcome === "created") created.set(operation.id, operation);
      if (outcome === "created" && initial?.state === "preparing") {
        leased(operation.id, initial.token, initial.leaseMs);
      }
      return outcome;
    },
    claim: async (request) => {
      const claimed = await store.claim(request);
      const leases = new Map(request.definitions.map(({ name, leaseMs }) => [name, leaseMs]));
      for (const { operation } of claimed.begun)
        leased(operation.id, request.token, leases.get(operation.definition) ?? 0);
      return claimed;
    },
    renew: async (lease, change) => {
      const result = await store.renew(lease, change);
      if (result.outcome === "renewed" && change.leaseMs !== undefined)
        leased(lease.operationId, lease.token, change.leaseMs);
      return result;
    },
  };
  return overriding(store as TrackedStore, tracked);
}
