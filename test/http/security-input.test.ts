import { defineOperation } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { jsonPost, openService } from "../service/open-service.js";
import { mountOrders, request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { allOperations } from "../support/all-operations.js";
import { anything } from "../support/careless-schema.js";
import { createPlainHarness } from "../support/plain-harness.js";
import { watchedBackend } from "./service-process.js";

const harness = createPlainHarness();
const UNKNOWN = "01980000-0000-7000-8000-000000000000";

describe("S4: malformed operation ids", () => {
  const ids = {
    paths: ["", ".", "..", "%2e%2e", "..%2forders"],
    controls: ["%00", "%0d%0aset-cookie:a=b", "\r\nset-cookie:a=b", `${UNKNOWN}\n`],
    escapes: ["%", "%zz", "%c0%af"],
    lengths: ["x".repeat(3_072), UNKNOWN.slice(0, -1), `${UNKNOWN}0`],
    forms: [`${UNKNOWN.slice(0, -1)}g`, `{${UNKNOWN}}`],
    words: ["' OR 1=1 --", "__proto__", "constructor"],
  };

  it.each(Object.values(ids).flat())("get 404 without a store call: %j", async (id) => {
    const { backend, calls } = watchedBackend(harness.createBackend());
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
    const jobs = defineOperation({ name: "jobs", path: "/jobs", input: anything });
    const { service, backend } = openService([jobs], { authorize: () => ({ id: "a" }) });
    const accepted = await service.handle(jsonPost("/jobs", foreign));
    expect(accepted.status).toBe(202);
    const { operationId, status, ...others } = JSON.parse(String(accepted.body));
    expect([status, others]).toEqual(["pending", {}]);
    const [operation] = await allOperations(backend.operations);
    const { id, tenant, state, attempt, key, hidden, result } = operation ?? {};
    const expected = { id: operationId, tenant: "a", state: "pending", attempt: 0 };
    expect({ id, tenant, state, attempt, key, hidden, result }).toEqual(expected);
    const read = await service.handle({ method: "GET", path: `/operations/${operationId}`, headers: {} });
    const members = Object.keys(JSON.parse(String(read.body)));
    expect(members).toEqual(["operationId", "status", "definition", "createdAt", "attempt"]);
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
