import { createOrderService } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { expressVersions } from "../support/express-apps.js";
import { type ToListener, writeRequest } from "../support/node-harness.js";
import { serve } from "./node-stage.js";

const listeners = [
  { adapter: "Node", toListener: toNodeHandler as ToListener },
  ...expressVersions.map(({ version, toListener }) => ({ adapter: `Express ${version}`, toListener })),
];

// Node and Deno stop collecting fields at `maxHeadersCount`, so a handler never sees the fields after it.
describe.each(listeners)("many header fields behind the $adapter adapter", ({ toListener }) => {
  /** Sends `count` fields, the last of which is an idempotency key. Counts how often the hook is asked. */
  async function send(count: number, maxHeadersCount?: number) {
    let asked = 0;
    const authorize = () => {
      asked += 1;
      return { id: "a" };
    };
    const { server, connect } = await serve(createOrderService({ authorize }), toListener);
    if (maxHeadersCount !== undefined) server.maxHeadersCount = maxHeadersCount;
    const connection = connect();
    // `writeRequest` adds `host` as the first field, and three more are listed below.
    const others = Array.from({ length: count - 4 }, (_, index) => [`x${index}`, "1"] as const);
    const headers = [
      ["content-type", "application/json"],
      ...others,
      ["content-length", String(ORDER.length)],
      ["idempotency-key", "k, not one key"],
    ] as const;
    await writeRequest(connection, { method: "POST", path: "/orders", headers, body: ORDER });
    const { status, body } = await connection.read("POST");
    connection.abort();
    return { status, asked, type: body === "" ? undefined : (JSON.parse(body) as { type: string }).type };
  }

  const malformedKey = { status: 400, asked: 1, type: problemType("invalid-idempotency-key") };
  const tooMany = { status: 431, asked: 0, type: problemType("too-many-header-fields") };

  it("are all read as long as the server cannot have dropped any", async () => {
    expect(await send(999)).toEqual(malformedKey);
  });

  it("are refused with a problem before authorize if there are more than 1,000 and the server drops none", async () => {
    expect(await send(1_001, 0)).toEqual(tooMany);
  });

  it.each([1_000, 1_023, 1_024, 1_100])(
    "are refused if the server may have dropped some of the %i",
    async (count) => {
      expect(await send(count)).toMatchObject({ status: 431, asked: 0 });
    },
  );

  it.each([
    { maxHeadersCount: 10, count: 33 },
    { maxHeadersCount: 31, count: 32 },
    { maxHeadersCount: 50, count: 64 },
    { maxHeadersCount: 50, count: 200 },
    { maxHeadersCount: 500, count: 600 },
  ])(
    "are refused if $count are sent and the server reads $maxHeadersCount",
    async ({ maxHeadersCount, count }) => {
      expect(await send(count, maxHeadersCount)).toMatchObject({ status: 431, asked: 0 });
    },
  );

  it("are all read if the server reads more fields than were sent", async () => {
    expect(await send(49, 50)).toEqual(malformedKey);
  });
});
