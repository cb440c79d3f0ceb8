import { beforeAll, describe, expect, it } from "vitest";
import { adapterCases } from "../support/adapter-suite/cases.js";
import type { AdapterCapabilities } from "../support/adapter-suite/fixtures/adapter-case.js";
import { createOrdersClient, type OrdersClient } from "../support/orders-client.js";
import { bun, isSkipped, runsOfThisTier, type SuiteRun, workerd } from "./matrix.js";
import { useProject } from "./project.js";
import { startServer, useServer } from "./server-process.js";
import { exampleProcesses, servers } from "./servers.js";
import { runSuite } from "./suite-runner.js";
import { beginUpload, upload } from "./upload.js";

const project = useProject();

describe.concurrent("the packed package", () => {
  for (const run of runsOfThisTier()) {
    it.skipIf(isSkipped(run.runtime))(run.name, async ({ expect }) => {
      const results = await runSuite(project(), run);
      expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
      expect(results.map(({ name, outcome }) => ({ name, outcome }))).toEqual(expectedOf(run));
    });
  }
});

const ONLY_ON_SOCKETS: readonly (keyof AdapterCapabilities)[] = ["sockets", "fieldLines", "manyFields"];

/** Every case passes, except those that need more than `Request` objects offer, or that Bun answers itself. */
function expectedOf({ runtime, transport }: SuiteRun): unknown {
  return adapterCases.map(({ name, needs = [] }) => {
    const isMissing = transport === "Request objects" && needs.some((need) => ONLY_ON_SOCKETS.includes(need));
    const isAnsweredByBun = runtime === bun && needs.includes("manyFields");
    return { name, outcome: isMissing || isAnsweredByBun ? "skipped" : "passed" };
  });
}

for (const program of servers) {
  describe(`a server on ${program.name}`, () => {
    const test = it.skipIf(isSkipped(program.runtime));
    const order = { itemId: "book", quantity: 2 };
    const server = useServer(project, program);
    let client: OrdersClient;
    beforeAll(() => {
      if (!isSkipped(program.runtime)) client = createOrdersClient(server().baseUrl);
    });

    test("accepts an order, replays it for the same key, and completes it", async () => {
      const key = { "idempotency-key": '"again"' };
      const first = await client.submit(order, key);
      const second = await client.submit('{ "quantity": 2.0, "itemId": "book" }', key);
      expect([first.status, second.status]).toEqual([202, 202]);
      expect(first.headers.get("idempotent-replayed")).toBeNull();
      expect(second.headers.get("idempotent-replayed")).toBe("true");
      const location = first.headers.get("location") ?? "";
      expect(second.headers.get("location")).toBe(location);
      expect(await client.settled(location)).toMatchObject({
        operationId: location.slice("/operations/".length),
        status: "completed",
        result: { shipped: 2, itemId: "book" },
      });
    });

    test("completes each of many concurrent orders", async () => {
      const quantities = Array.from({ length: 30 }, (_, index) => index + 1);
      const settled = await Promise.all(
        quantities.map(async (quantity) => client.settled(await client.accepted({ ...order, quantity }))),
      );
      expect(settled.map(({ result }) => result)).toEqual(
        quantities.map((shipped) => ({ shipped, itemId: "book" })),
      );
    });

    test("shows an order as failed after a permanent failure", async () => {
      const operation = await client.settled(await client.accepted({ itemId: "unicorn", quantity: 1 }));
      expect(operation).toMatchObject({ status: "failed", error: { detail: "Unicorns are sold out." } });
    });

    test.each(["declared", "chunked"] as const)(
      "refuses a 10 MB upload with 413 when its length is %s, and keeps serving",
      async (framing) => {
        const send = program.runtime === workerd ? beginUpload : upload;
        const { status, body } = await send(server().baseUrl, framing);
        expect([status, JSON.parse(body)]).toMatchObject([413, { status: 413 }]);
        expect((await client.submit(order)).status).toBe(202);
      },
    );

    test("refuses a repeated member name with 400", async () => {
      const response = await client.submit('{"itemId":"book","quantity":1,"\\u0071uantity":2}');
      expect([response.status, await response.json()]).toMatchObject([400, { status: 400 }]);
    });
  });
}

for (const program of exampleProcesses) {
  it.skipIf(isSkipped(program.runtime)).each(["SIGINT", "SIGTERM"] as const)(
    `${program.name} exits with 0 after %s`,
    async (signal) => {
      const server = await startServer(project(), program);
      expect(await server.stop(signal)).toBe(0);
    },
  );
}
