import { allowAnonymous, createOrderService } from "async-request-reply";
import { expect, it } from "vitest";
import { submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { adaptersOnSockets, allAdapters } from "./identity-adapters.js";
import { lineUp } from "./identity-lineup.js";

// The lineup also compares what hooks see, including `path`.
it.each([
  ["http://shop.example/orders", 202],
  ["HTTP://Shop.example:8080/orders", 202],
  ["https://shop.example/orders", 202],
  ["http://shop.example/orders?", 202],
  ["http://shop.example/orders?a=http://b/c", 202],
  ["http://shop.example", 404],
  ["http://shop.example?/orders", 404],
  ["http://shop.example//orders", 404],
])("all adapters read a target in absolute form alike (RFC 9112 §3.2.2): %s", async (path, status) => {
  const { exchange } = await lineUp(allAdapters);
  expect((await exchange(submission({ path })))?.status).toBe(status);
});

it.each(["/x/../orders", "/./orders", "/%2e/orders", "/x/%2E%2E/orders", "/orders#x", "/\\orders"])(
  "a path is matched without normalization, in absolute form too: %s",
  async (path) => {
    const { exchange } = await lineUp(adaptersOnSockets);
    for (const target of [path, `http://shop.example${path}`])
      expect((await exchange(submission({ path: target })))?.status).toBe(404);
  },
);

it.each(allAdapters)("a target without a path means the root: $adapter", async ({ createHarness }) => {
  const harness = createHarness();
  const service = createOrderService({ authorize: allowAnonymous() });
  const { send } = await harness.mount({
    ...service,
    handle: async ({ path }) => ({ status: 200, headers: {}, body: path }),
  });
  for (const [target, path] of [
    ["http://shop.example", "/"],
    ["http://shop.example?a=/b", "/?a=/b"],
  ] as const)
    expect((await send({ method: "GET", path: target, headers: [] })).body).toBe(path);
  await harness.close();
});
