import { createMemoryBackend, createService, defineOperation } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { mountOrders, request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { allOperations } from "../support/all-operations.js";
import { anything } from "../support/careless-schema.js";
import { interceptBackend, type PortCall } from "../support/intercept-backend.js";
import { createPlainHarness } from "../support/plain-harness.js";

const harness = createPlainHarness();

describe("S4: malformed operation ids", () => {
  it.each([
    "",
    ".",
    "..",
    "%2e%2e",
    "..%2forders",
    "%00",
    "%0d%0aset-cookie:a=b",
    "\r\nset-cookie:a=b",
    "%",
    "%zz",
    "%c0%af",
    "x".repeat(3_072),
    "01980000-0000-7000-8000-00000000000",
    "01980000-0000-7000-8000-0000000000000",
    "01980000-0000-7000-8000-00000000000g",
    "01980000-0000-7000-8000-000000000000\n",
    "{01980000-0000-7000-8000-000000000000}",
    "' OR 1=1 --",
    "__proto__",
    "constructor",
  ])("get 404 without a store call: %j", async (id) => {
    const calls: PortCall[] = [];
    const backend = interceptBackend(harness.createBackend(), (call, proceed) => {
      calls.push(call);
      return proceed();
    });
    const { send } = await mountOrders(harness, { backend, cancellable: true });
    for (const method of ["GET", "HEAD", "DELETE"])
      expect((await send(request(method, `/operations/${id}`))).status).toBe(404);
    expect(calls).toEqual([]);
  });
});

describe("S5: body members named like internal fields", () => {
  const foreign =
    '{"operationId":"01980000-0000-7000-8000-000000000000","id":"x","status":"completed","state":"completed","tenant":"b","attempt":9,"key":"k","hidden":true,"result":{"paid":true},"__proto__":{"status":"completed"}}';

  it("change nothing even if the schema accepts them", async () => {
    const backend = createMemoryBackend();
    const definitions = [defineOperation({ name: "jobs", path: "/jobs", input: anything })];
    const service = createService({ backend, definitions, authorize: () => ({ id: "a" }) });
    const headers = { "content-type": "application/json" };
    const accepted = await service.handle({ method: "POST", path: "/jobs", headers, body: foreign });
    expect(accepted.status).toBe(202);
    const { operationId, status, ...others } = JSON.parse(String(accepted.body));
    expect([status, others]).toEqual(["pending", {}]);
    const [operation] = await allOperations(backend.operations);
    const { id, tenant, state, attempt, key, hidden, result } = operation ?? {};
    expect({ id, tenant, state, attempt, key, hidden, result }).toEqual({
      id: operationId,
      tenant: "a",
      state: "pending",
      attempt: 0,
    });
    const read = await service.handle({ method: "GET", path: `/operations/${operationId}`, headers });
    expect(Object.keys(JSON.parse(String(read.body)))).toEqual([
      "operationId",
      "status",
      "definition",
      "createdAt",
      "attempt",
    ]);
  });

  it("are refused by name by the order contract", async () => {
    const { send, recorded } = await mountOrders(harness);
    const members = ["operationId", "status", "__proto__", "constructor", "toString"];
    for (const member of members) {
      const reply = await send(submission({ body: `{"itemId":"book","quantity":1,"${member}":{}}` }));
      expect(reply.status).toBe(422);
      expect(JSON.parse(reply.body).errors).toEqual([
        { pointer: `#/${member}`, detail: "is not a known member" },
      ]);
    }
    expect(await recorded()).toEqual([]);
  });
});
