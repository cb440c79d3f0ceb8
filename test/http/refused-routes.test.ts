import { defineOperation } from "async-request-reply";
import { withOpenApi } from "async-request-reply/openapi";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { openService } from "../service/open-service.js";

const orders = defineOperation({ name: "orders", path: "/orders", input: z.object({ item: z.string() }) });
const exportsOf = defineOperation({
  name: "exports",
  path: "/accounts/{accountId}/exports",
  input: z.object({ accountId: z.string() }),
});
const ID = "01a1fb0e-5781-7461-97e0-78a248067be3";

/** Returns the members of the event of one refused request that say where it went. */
async function refusalOf(method: string, path: string): Promise<object> {
  const options = { basePath: "/api", list: true, authorize: () => undefined };
  const { service, events } = openService([orders, exportsOf], options);
  const documented = withOpenApi(service, { info: { title: "Orders", version: "1" }, authorize: true });
  await documented.handle({ method, path, headers: {} });
  const [first = {}, ...rest] = events.filter(({ event }) => event === "request.refused");
  expect(rest).toEqual([]);
  expect(JSON.stringify(events)).not.toMatch(/secret|01a1fb0e/);
  const { event: _, status: __, code: ___, error: ____, ...where } = first as Record<string, unknown>;
  return where;
}

describe("the event of a refused request", () => {
  it.each([
    ["POST", "/api/orders?secret=1", "/api/orders"],
    ["GET", "/api/orders", "/api/orders"],
    ["POST", "/api/accounts/secret/exports", "/api/accounts/{accountId}/exports"],
    ["PUT", "/api/accounts/secret/exports", "/api/accounts/{accountId}/exports"],
    ["GET", `/api/operations/${ID}`, "/api/operations/{id}"],
    ["HEAD", `/api/operations/${ID}`, "/api/operations/{id}"],
    ["GET", "/api/operations/secret", "/api/operations/{id}"],
    ["POST", `/api/operations/${ID}`, "/api/operations/{id}"],
    ["DELETE", `/api/operations/${ID}`, "/api/operations/{id}"],
    ["GET", "/api/operations?status=secret", "/api/operations"],
    ["POST", "/api/operations", "/api/operations"],
    ["GET", "/api/openapi.json", "/api/openapi.json"],
    ["POST", "/api/openapi.json", "/api/openapi.json"],
  ])("has the method and the pattern of the path: %s %s", async (method, path, route) => {
    expect(await refusalOf(method, path)).toEqual({ method, route });
  });

  it("has no method that a client made up", async () => {
    expect(await refusalOf("SECRET", "/api/orders")).toEqual({ method: "_OTHER", route: "/api/orders" });
  });

  it("has no pattern for an unknown path", async () => {
    expect(await refusalOf("GET", "/secret")).toEqual({ method: "GET" });
  });
});
