import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOrdersClient } from "../support/orders-client.js";
import { runServer } from "../support/orders-server-process.js";
import { startForTest } from "./start-for-test.js";

describe("the example server's configuration", () => {
  const backends = "BACKEND must be one of memory:, sqlite:FILE, pglite:DIR, postgres://…, not";
  const shared = "needs a BACKEND that several processes can share, such as sqlite:FILE or postgres://…, not";
  const tokens = "API_TOKENS must be a list of token=principal, separated by commas; entry";
  it.each([
    [{ BACKEND: "disk:orders" }, `${backends} "disk:orders"`],
    [{ BACKEND: "memory:orders" }, `${backends} "memory:orders"`],
    [{ BACKEND: "" }, `${backends} ""`],
    [
      { QUEUE: "mail:orders" },
      'QUEUE must be one of amqp://…, nats://…, bullmq+redis://…, not "mail:orders"',
    ],
    [{ ROLE: "api", BACKEND: "memory:" }, `ROLE=api ${shared} memory:`],
    [{ ROLE: "worker", BACKEND: "memory:" }, `ROLE=worker ${shared} memory:`],
    [{ ROLE: "worker", BACKEND: "pglite:orders" }, `ROLE=worker ${shared} pglite:orders`],
    [
      { BACKEND: "postgres://app:secret@127.0.0.1:1/orders" },
      "BACKEND: No server accepts connections at 127.0.0.1:1 (ECONNREFUSED). Start PostgreSQL there, or correct `host` and `port` " +
        "in the connection options of the pool.",
    ],
    [
      { BACKEND: "sqlite:/nowhere/orders.db" },
      "BACKEND: The file /nowhere/orders.db cannot be opened. Make sure that its folder exists and is writable.",
    ],
    [{ ROLE: "boss" }, 'ROLE must be one of all, api, worker, not "boss"'],
    [{ PORT: "http" }, 'PORT must be a whole number from 0 to 65535, not "http"'],
    [{ PORT: "65536" }, 'PORT must be a whole number from 0 to 65535, not "65536"'],
    [{ PORT: "" }, 'PORT must be a whole number from 0 to 65535, not ""'],
    [{ HOST: "two words" }, 'HOST must be a host name or an IP address, not "two words"'],
    [{ API_TOKENS: "secret" }, `${tokens} 1 is not valid`],
    [{ API_TOKENS: "a=ann,b=" }, `${tokens} 2 is not valid`],
    [{ API_TOKENS: "" }, `${tokens} 1 is not valid`],
    [{ API_TOKENS: "a=ann,a=bob" }, "API_TOKENS must not repeat a token; entry 2 does"],
    [{ WORK_MS: "-1" }, 'WORK_MS must be a whole number from 0 to 2147483647, not "-1"'],
    [{ LEASE_MS: "0" }, 'LEASE_MS must be a whole number from 1 to 2147483647, not "0"'],
    [{ DEMO: "yes" }, 'DEMO must be one of 0, 1, not "yes"'],
    [
      { DEMO: "1", ROLE: "api", BACKEND: "sqlite:demo.db" },
      "DEMO=1 runs in one process, so it needs ROLE=all, not api",
    ],
    [{ LOG: "loud" }, 'LOG must be one of pretty, json, not "loud"'],
  ])("refuses %o with one line on stderr", async (variables, sentence) => {
    expect(await runServer(variables)).toEqual({ code: 1, stdout: [], stderr: [sentence] });
  });

  it("hides the password of a refused address", async () => {
    const { stderr } = await runServer({ BACKEND: "disk://user:secret@host/orders" });
    expect(stderr).toEqual([`${backends} "disk:…@host/orders"`]);
  });

  it("reports a port that is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    expect(await runServer({ PORT: String(port) })).toMatchObject({
      code: 1,
      stderr: [`HOST and PORT: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)`],
    });
  });

  it.each([
    ["a token that ends with an equals sign", { API_TOKENS: "c2VjcmV0cw===ann" }, { "c2VjcmV0cw==": 202 }],
    ["only the demo token by default", {}, { "demo-token": 202, demo: 401 }],
  ])("accepts %s", async (_, variables, expected) => {
    const { baseUrl } = await startForTest(variables);
    const statuses: Record<string, number> = {};
    for (const token of Object.keys(expected)) {
      const reply = await createOrdersClient(baseUrl, token).submit({ itemId: "book", quantity: 1 });
      statuses[token] = reply.status;
    }
    expect(statuses).toEqual(expected);
  });
});
