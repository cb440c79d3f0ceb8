import { type Backend, createMemoryBackend, createService, defineOperation } from "async-request-reply";
import { describe, expect, it, onTestFinished } from "vitest";
import { anything } from "../support/careless-schema.js";
import { describeClients } from "../support/sqlite/clients.js";
import { newDatabaseFile } from "../support/sqlite/database-files.js";

const TENANTS = 600;
/** Claims in which all tenants are looked at. Each of them blocks the process, so it looks at some of them. */
const MOST_CLAIMS = 4;

const limits = { runningPerTenant: 1 };
const work = defineOperation({ name: "work", path: "/work", input: anything, limits });

describe("among 600 tenants without a place in memory", () => findsThePlace(createMemoryBackend));
describeClients("among 600 tenants without a place on SQLite", (client) => {
  findsThePlace(() => {
    const file = newDatabaseFile(client);
    onTestFinished(file.remove);
    return file.open();
  });
});

function findsThePlace(open: () => Backend): void {
  it("claims find the only one with a place, in several short steps", async () => {
    const backend = open();
    const service = createService({ definitions: [work], backend, observe: false });
    for (let tenant = 0; tenant < TENANTS; tenant += 1)
      await service.submitMany(work, [{ input: 0 }, { input: 1 }], { tenant: `${tenant}` });
    const definition = { name: "work", slots: TENANTS, leaseMs: 60_000, limits: work.limits, suspects: 0 };
    const claim = (token: string) =>
      backend.operations.claim({ token, definitions: [definition], limit: TENANTS });
    const { begun } = await claim("first");
    expect(begun).toHaveLength(TENANTS);
    expect(await claim("none")).toMatchObject({ begun: [], again: true });
    const { id = "", tenant } = begun[TENANTS / 2]?.operation ?? {};
    await backend.operations.settle({ operationId: id, token: "first" }, { to: "completed", result: "null" });
    const found: string[] = [];
    for (let count = 0; count < MOST_CLAIMS && found.length === 0; count += 1) {
      const claimed = await claim(`${count}`);
      found.push(...claimed.begun.map(({ operation }) => operation.tenant));
      expect(claimed.again || found.length > 0).toBe(true);
    }
    expect(found).toEqual([tenant]);
  });
}
