import { deepEqual } from "../../../../src/testing/expect.js";
import type { AdapterCase } from "../fixtures/adapter-case.js";
import { mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import { checkFields, checkStatus, field, jsonOf, operationIdOf } from "../fixtures/reply-checks.js";

/** Services that are mounted below a path. */
export const basePathCases: readonly AdapterCase[] = [
  {
    name: "prepends the base path to Location, where the operation can then be read",
    rule: "RFC 9110 §10.2.2",
    run: async (harness) => {
      const { send } = await mountOrders(harness, { basePath: "/api/v1" });
      const accepted = await send(submission({ path: "/api/v1/orders" }));
      const operationId = operationIdOf(accepted);
      checkFields(accepted, { location: `/api/v1/operations/${operationId}` });
      const reply = await send(request("GET", field(accepted, "location") ?? ""));
      checkStatus(reply, 200);
      deepEqual(jsonOf(reply).operationId, operationId, "the operationId");
    },
  },
  {
    name: "prepends the base path to Operation-Location, but not to the Location of an order",
    rule: "spec §4.1",
    run: async (harness) => {
      const create = (): { body: object; location: string } => ({ body: {}, location: "/orders/7" });
      const { send } = await mountOrders(harness, { basePath: "/api", create: create as never });
      const reply = await send(submission({ path: "/api/orders" }));
      checkStatus(reply, 201);
      checkFields(reply, {
        location: "/orders/7",
        "operation-location": /^\/api\/operations\/[0-9a-f-]{36}$/,
      });
    },
  },
  {
    name: "answers 404 to paths without the base path, and to paths that only start with the same letters",
    rule: "RFC 9110 §15.5.5",
    run: async (harness) => {
      const { send, recorded } = await mountOrders(harness, { basePath: "/api" });
      for (const path of [
        "/orders",
        "/api",
        "/api/",
        "/apiorders",
        "/api/api/orders",
        "/api//orders",
        "/API/orders",
      ]) {
        checkProblem(await send(submission({ path })), 404, "not-found");
      }
      deepEqual(await recorded(), [], "recorded operations");
    },
  },
];
