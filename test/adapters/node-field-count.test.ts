import { type Authorize, createMemoryBackend, createOrderService, problemType } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { afterEach, describe, expect, it } from "vitest";
import { expressVersions } from "./express-apps.js";
import { type RunningServer, startServer, type ToListener, writeRequest } from "./node-harness.js";

const listeners: readonly { readonly adapter: string; readonly toListener: ToListener }[] = [
  { adapter: "Node", toListener: toNodeHandler },
  ...expressVersions.map(({ version, toListener }) => ({ adapter: `Express ${version}`, toListener })),
];

// Node and Deno stop collecting fields at `maxHeadersCount`, so that a field behind them is not seen.
describe.each(listeners)("many header fields behind the $adapter adapter", ({ toListener }) => {
  let running: RunningServer | undefined;
  let asked = 0;
  const authorize: Authorize = () => {
    asked += 1;
    return { id: "a" };
  };

  afterEach(async () => {
    asked = 0;
    await running?.close();
  });

  /** Sends so many fields, the last of which is a key. */
  async function send(count: number, maxHeadersCount?: number): Promise<{ status: number; type?: string }> {
    running = await startServer(
      createOrderService({ backend: createMemoryBackend(), authorize }),
      toListener,
    );
    if (maxHeadersCount !== undefined) running.server.maxHeadersCount = maxHeadersCount;
    const connection = running.connect();
    // `host` and `content-length` are the first and the last but one.
    const others = Array.from({ length: count - 4 }, (_, index) => [`x${index}`, "1"] as const);
    const headers = [
      ["content-type", "application/json"],
      ...others,
      ["content-length", "30"],
      ["idempotency-key", "k, not one key"],
    ] as const;
    await writeRequest(connection, {
      method: "POST",
      path: "/orders",
      headers,
      body: '{"itemId":"book","quantity":2}',
    });
    const { status, body } = await connection.read("POST");
    connection.abort();
    return { status, ...(body === "" ? {} : { type: (JSON.parse(body) as { type: string }).type }) };
  }

  const malformedKey = { status: 400, type: problemType("invalid-idempotency-key") };
  const tooMany = { status: 431, type: problemType("too-many-header-fields") };

  it("are read to the last one as long as none can have been dropped", async () => {
    expect(await send(999)).toEqual(malformedKey);
    expect(asked).toBe(1);
  });

  it("are refused with a problem beyond 1,000, before authorize, where the server drops none", async () => {
    expect(await send(1_001, 0)).toEqual(tooMany);
    expect(asked).toBe(0);
  });

  it.each([1_000, 1_023, 1_024, 1_100])(
    "are refused if they are %i, and the server may drop some",
    async (count) => {
      expect((await send(count)).status).toBe(431);
      expect(asked).toBe(0);
    },
  );

  it.each([
    { maxHeadersCount: 10, count: 33 },
    { maxHeadersCount: 31, count: 32 },
    { maxHeadersCount: 50, count: 64 },
    { maxHeadersCount: 50, count: 200 },
    { maxHeadersCount: 500, count: 600 },
  ])(
    "are refused if they are $count and the server reads $maxHeadersCount",
    async ({ maxHeadersCount, count }) => {
      expect((await send(count, maxHeadersCount)).status).toBe(431);
      expect(asked).toBe(0);
    },
  );

  it("are read to the last one if the server reads more than there are", async () => {
    expect(await send(49, 50)).toEqual(malformedKey);
  });
});
