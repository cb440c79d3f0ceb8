import type { NewOperation } from "../../../../contract/operation.js";
import type { RunningLimits } from "../../../../ports/claim.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal, ok } from "../../../expect.js";
import {
  begin,
  COMPLETED,
  claim,
  createPending,
  createSome,
  createWorking,
  GIVEN_BACK,
  idsOf,
  leaseOf,
  newToken,
  type OperationStoreCheck,
} from "../fixtures.js";

/** More than a claim looks at. */
const FLOOD = 200;
/** More tenants than one claim of an embedded store looks at. */
const CROWD = 600;
/** So many claims are enough to look at all of them. */
const MAX_CLAIMS = 8;

/** Returns how many of these operations hold a lease. `cancel` says it without changing anything that matters here. */
async function countRunning(store: OperationStore, operations: readonly NewOperation[]): Promise<number> {
  let running = 0;
  for (const { id, tenant } of operations)
    if ((await store.requestCancel(id, tenant)) === "requested") running += 1;
  return running;
}

/** Cases about limits and lanes of claims. */
export const claimPlaceChecks: readonly OperationStoreCheck[] = [
  {
    rule: "limits.claim",
    name: "a claim begins as many operations as the limits allow, and passes full tenants",
    needs: ["limits"],
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
  {
    rule: "limits.claim-flood",
    name: "a claim passes the long backlog of a tenant that is full",
    needs: ["limits"],
    check: async (store) => {
      await createSome(store, FLOOD, { tenant: "flood" });
      for (const tenant of ["b", "c"]) await createSome(store, 1, { tenant });
      const limits: RunningLimits = { runningPerTenant: 2 };
      equal((await claim(store, { slots: 10, limits })).begun.length, 4, "how many begin");
      for (let call = 0; call < 3; call += 1)
        deepEqual(idsOf(await claim(store, { slots: 10, limits })), [], "what a later claim begins");
    },
  },
  {
    rule: "limits.claim-crowd",
    name: "claims look at each of many full tenants once, and find the one that has a place again",
    needs: ["limits"],
    check: async (store) => {
      const limits: RunningLimits = { runningPerTenant: 1 };
      const tenants = Array.from({ length: CROWD }, (_, index) => `tenant ${index}`);
      const token = newToken();
      const wanted = { slots: 2 * CROWD, limit: 2 * CROWD, limits };
      const createEach = (): Promise<readonly NewOperation[]> =>
        Promise.all(tenants.map((tenant) => createPending(store, { tenant })));
      const running = await createEach();
      equal((await claim(store, { ...wanted, token })).begun.length, CROWD, "how many begin at first");
      await createEach();

      /** Claims until nothing more can begin, and returns the tenants of what began. */
      async function claimAll(): Promise<readonly string[]> {
        const begun: string[] = [];
        for (let calls = 1; ; calls += 1) {
          const claimed = await claim(store, { ...wanted, slots: 10, limit: 10 });
          begun.push(...claimed.begun.map(({ operation }) => operation.tenant));
          if (!claimed.again) return begun;
          ok(calls < 2 * MAX_CLAIMS, `${calls} claims say \`again\``);
        }
      }
      deepEqual(await claimAll(), [], "what begins while all tenants are full");
      for (const index of [0, CROWD / 2, CROWD - 1]) {
        const { id = "", tenant = "" } = running[index] ?? {};
        await store.settle(leaseOf(id, token), COMPLETED);
        deepEqual(await claimAll(), [tenant], "the tenants of what begins after an end");
      }
    },
  },
  {
    rule: "limits.claim-urgent",
    name: "a claim begins less urgent work if the more urgent one has no place",
    needs: ["limits"],
    check: async (store) => {
      await createSome(store, FLOOD, { tenant: "flood", urgency: 0 });
      await createSome(store, 1, { tenant: "b", urgency: 7 });
      const { begun } = await claim(store, { slots: 10, limits: { runningPerTenant: 1 } });
      deepEqual(
        begun.map(({ operation }) => operation.tenant).sort(),
        ["b", "flood"],
        "the tenants of what began",
      );
    },
  },
  ...([undefined, { runningPerTenant: 1 }] as const).map(
    (limits): OperationStoreCheck => ({
      rule: `claim.passed-suspects${limits === undefined ? "" : "-within-limits"}`,
      name: `a claim passes tenants that have only suspects too many, and begins what is as urgent, ${limits === undefined ? "without limits" : "within limits"}`,
      ...(limits !== undefined && { needs: ["limits"] }),
      check: async (store, { unitMs, pass }) => {
        const createSuspect = async (tenant: string): Promise<void> => {
          const { operation } = await createWorking(store, unitMs, { tenant, urgency: 0 });
          await pass(2 * unitMs);
          const { lease } = await begin(store, operation.id);
          await store.settle(lease, GIVEN_BACK);
        };
        for (const tenant of ["t1", "t2", "t4", "t5"]) await createSuspect(tenant);
        const urgent = await createPending(store, { tenant: "t3", urgency: 0 });
        const later = await createPending(store, { tenant: "t6", urgency: 7 });
        const wanted = { slots: 1, suspects: 0, ...(limits && { limits }) };
        deepEqual(idsOf(await claim(store, wanted)), [urgent.id], "the first claim");
        deepEqual(idsOf(await claim(store, wanted)), [later.id], "the second claim");
        deepEqual(idsOf(await claim(store, wanted)), [], "the third claim");
        equal((await claim(store, { ...wanted, suspects: 1 })).begun.length, 1, "how many suspects begin");
      },
    }),
  ),
  {
    rule: "limits.claim-lost-slots",
    name: "a claim begins no more than its slots after a lost attempt has lost its place",
    needs: ["limits"],
    check: async (store, { unitMs, pass }) => {
      const urgent = await createPending(store, { urgency: 0 });
      await createPending(store, { urgency: 7 });
      const limits: RunningLimits = { running: 1 };
      deepEqual(
        idsOf(await claim(store, { slots: 1, limits, leaseMs: unitMs })),
        [urgent.id],
        "the first claim",
      );
      await pass(2 * unitMs);
      deepEqual(idsOf(await claim(store, { slots: 1, limits })), [urgent.id], "the second claim");
    },
  },
  ...([{ running: 1 }, { running: 4 }, { runningPerTenant: 1 }, { runningPerTenant: 4 }] as const).map(
    (limits): OperationStoreCheck => ({
      rule: `limits.claim-lost-${JSON.stringify(limits).replaceAll(/[{}"]/g, "").replace(":", "-")}`,
      name: `as many operations run as allowed after attempts were lost, with ${JSON.stringify(limits)}`,
      needs: ["limits"],
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
        const { begun } = await claim(store, { limits, suspects: 1 });
        equal(begun.length, most, "how many begin in the places of lost attempts");
        for (let call = 0; call < 3; call += 1) await claim(store, { limits, suspects: 1 });
        equal(await countRunning(store, [...lost, ...waiting]), most, "how many run in the end");
      },
    }),
  ),
  {
    rule: "lanes.claim",
    name: "a claim begins one operation of a lane at a time, in their order",
    needs: ["lanes"],
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
    rule: "lanes.claim-long",
    name: "a claim passes a long lane of which an operation runs",
    needs: ["lanes"],
    check: async (store, { unitMs, pass }) => {
      const first = await createPending(store, { lane: "long" });
      await pass(unitMs);
      await createSome(store, FLOOD, { lane: "long" });
      const other = await createPending(store, { lane: "short" });
      const begun: string[] = [];
      for (let call = 0; call < 4; call += 1) begun.push(...idsOf(await claim(store, { slots: 10 })));
      deepEqual(begun.sort(), [first.id, other.id].sort(), "what four claims began");
    },
  },
  {
    rule: "lanes.claim-lost",
    name: "the next of a lane does not pass the first one, whose attempt was lost",
    needs: ["lanes"],
    check: async (store, { unitMs, pass }) => {
      const { operation } = await createWorking(store, unitMs, { lane: "long" });
      await pass(2 * unitMs);
      await createPending(store, { lane: "long" });
      deepEqual(idsOf(await claim(store, { suspects: 0 })), [], "what begins without suspects");
      deepEqual(idsOf(await claim(store)), [operation.id], "what begins");
    },
  },
];
