import { allowAnonymous, createOrderService } from "async-request-reply";
import { equal } from "../../../../src/testing/expect.js";
import type { AdapterHarness, Mounted } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { ORDER, request, submission } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import { checkStatus, field } from "../fixtures/reply-checks.js";

const RULE = "docs/frameworks.md, other paths";

/** A service that leaves other paths to the surrounding application. */
export const fallthroughCases = casesOf(
  {
    [RULE]: {
      "passes requests for other paths on to the application, with their bodies": async (harness) => {
        const { send } = await mountWithin(harness);
        for (const path of [
          "/",
          "/api/order",
          "/api/orders/",
          "/api/orders/1",
          "/orders",
          "/api/operations",
        ]) {
          const reply = await send(submission({ path }));
          checkStatus(reply, 200);
          equal(reply.body, `the application: ${ORDER}`, `the reply at ${path}`);
        }
      },
      "answers every request for the paths of the service, with any method": async (harness) => {
        const { send } = await mountWithin(harness);
        const accepted = await send(submission({ path: "/api/orders?a=b" }));
        checkStatus(accepted, 202);
        checkStatus(await send(request("GET", field(accepted, "location") ?? "")), 200);
        checkProblem(await send(request("PUT", "/api/orders")), 405, "method-not-allowed");
        checkProblem(await send(request("GET", "/api/operations/nothing")), 404, "not-found");
        checkStatus(await send(request("OPTIONS", "/api/orders")), 204);
      },
      "answers requests for other paths itself unless fallthrough is set": async (harness) => {
        const { send } = await mountWithin(harness, { fallthrough: false });
        checkProblem(await send(submission({ path: "/api/order" })), 404, "not-found");
      },
    },
  },
  ["fallthrough"],
);

async function mountWithin(harness: AdapterHarness, options = { fallthrough: true }): Promise<Mounted> {
  const backend = harness.createBackend();
  const service = createOrderService({ authorize: allowAnonymous(), basePath: "/api", backend });
  return harness.mount(service, options);
}
