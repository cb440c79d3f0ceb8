import { deepEqual } from "../../../../src/testing/expect.js";
import { casesOf } from "../fixtures/cases-of.js";
import { mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import {
  checkFields,
  checkReply,
  checkStatus,
  field,
  jsonOf,
  operationIdOf,
} from "../fixtures/reply-checks.js";

/** Services that are mounted below a path. */
export const basePathCases = casesOf({
  "RFC 9110 §10.2.2": {
    "prepends the base path to Location, where the operation can then be read": async (harness) => {
      const { send } = await mountOrders(harness, { basePath: "/api/v1" });
      const accepted = await send(submission({ path: "/api/v1/orders" }));
      const operationId = operationIdOf(accepted);
      checkFields(accepted, { location: `/api/v1/operations/${operationId}` });
      const reply = await send(request("GET", field(accepted, "location") ?? ""));
      checkStatus(reply, 200);
      deepEqual(jsonOf(reply).operationId, operationId, "the operationId");
    },
  },
  "spec §4.1": {
    "prepends the base path to Operation-Location, but not to the Location of an order": async (harness) => {
      const create = (): { body: object; location: string } => ({ body: {}, location: "/orders/7" });
      const { send } = await mountOrders(harness, { basePath: "/api", create: create as never });
      checkReply(await send(submission({ path: "/api/orders" })), 201, {
        location: "/orders/7",
        "operation-location": /^\/api\/operations\/[0-9a-f-]{36}$/,
      });
    },
  },
  "RFC 9110 §15.5.5": {
    "answers 404 to paths without the base path, and to paths that only start with the same letters": async (
      harness,
    ) => {
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
});
