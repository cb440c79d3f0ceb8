import type { NewOperation } from "../../../../contract/operation.js";
import type { RunningLimits } from "../../../../ports/claim.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal } from "../../../expect.js";
import { COMPLETED, createPending, createWorking, newToken, type OperationStoreCheck } from "../fixtures.js";
import { claim, idsOf, leaseOf } from "./fixtures.js";

/** Returns how many of these operations hold a lease. `cancel` says it without changing anything that matters here. */
async function countRunning(store: OperationStore, operations: readonly NewOperation[]): Promise<number> {
  let running = 0;
  for (const { id, tenant } of operations)
    if ((await store.requestCancel(id, tenant)) === "requested") running += 1;
  return running;
}

async function createSome(
  store: OperationStore,
  count: number,
  members: Partial<NewOperation>,
): Promise<readonly NewOperation[]> {
  const created: NewOperation[] = [];
  for (let index = 0; index < count; index += 1) created.push(await createPending(store, members));
  return created;
}

/** Cases about limits and lanes of claims. */
export const claimPlaceChecks: readonly OperationStoreCheck[] = [
  {
    rule: "limits.claim",
    name: "a claim begins as many operations as the limits allow, and passes full tenants",
    needs: ["claim", "limits"],
    check: async (store) => {
      for (const tenant of ["a", "b", "c"]) await createSome(store, 5, { tenant });
      const limits: RunningLimits = { running: 5, runningPerTenant: 2 };
      const first = await claim(store, { limits });
      equal(first.begun.length, 5, "how many begin");
      const byTenant = new Map<string, number>();
      for (const { operation } of first.begun)
        byTenant.set(operation.tenant, (byTenant.get(operation.tenant) ?? 0) + 1);
      deepEqual([...byTenant.values()].sort(), [1, 2, 2], "how many of each tenant");
      deepEqual(idsOf(await claim(store, { limits })), [], "what begins while all places are taken");
    },
  },
  ...([{ running: 1 }, { runningPerTenant: 1 }, { runningPerTenant: 3 }] as const).map(
    (limits): OperationStoreCheck => ({
      rule: `limits.claim-lost-${JSON.stringify(limits).replaceAll(/[{}"]/g, "").replace(":", "-")}`,
      name: `no more operations run than allowed after attempts were lost, with ${JSON.stringify(limits)}`,
      needs: ["claim", "limits"],
      check: async (store, { unitMs, pass }) => {
        const [most = 0] = Object.values(limits);
        const lost = await createSome(store, most, { tenant: "a" });
        equal(
          (await claim(store, { limits, leaseMs: unitMs })).begun.length,
          most,
          "how many begin at first",
        );
        const waiting = await createSome(store, 5, { tenant: "a" });
        await pass(2 * unitMs);
        for (let call = 0; call < 4; call += 1) await claim(store, { limits, suspects: 1 });
        equal(await countRunning(store, [...lost, ...waiting]), most, "how many run in the end");
      },
    }),
  ),
  {
    rule: "lanes.claim",
    name: "a claim begins one operation of a lane at a time, in their order",
    needs: ["claim", "lanes"],
    check: async (store, { unitMs, pass }) => {
      const first = await createPending(store, { lane: "long" });
      await pass(unitMs);
      const second = await createPending(store, { lane: "long" });
      const token = newToken();
      deepEqual(idsOf(await claim(store, { token })), [first.id], "the first turn");
      deepEqual(idsOf(await claim(store)), [], "what begins while it runs");
      await store.settle(leaseOf(first.id, token), COMPLETED);
      deepEqual(idsOf(await claim(store)), [second.id], "the second turn");
    },
  },
  {
    rule: "lanes.claim-lost",
    name: "the next of a lane does not pass the first one, whose attempt was lost",
    needs: ["claim", "lanes"],
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs, { lane: "long" });
      await pass(2 * unitMs);
      await createPending(store, { lane: "long" });
      deepEqual(idsOf(await claim(store, { suspects: 0 })), [], "what begins without suspects");
      deepEqual(idsOf(await claim(store)), [operation.id], "what begins");
    },
  },
];
