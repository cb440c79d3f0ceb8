import { expect, it } from "vitest";
import { createOrdersClient } from "../support/orders-client.js";
import type { StartServer } from "../support/orders-server-process.js";
import { type EventLine, eventsOf, untilLogged } from "./event-lines.js";
import { startForTest } from "./start-for-test.js";

/** Declares the tests of the example server's log, for any back end. */
export function declareServerLog(start: StartServer): void {
  it("consists of one JSON object per line on stdout with LOG=json", async () => {
    const server = await startForTest({ LOG: "json", WORK_MS: "1" }, start);
    const client = createOrdersClient(server.baseUrl);
    const key = { "idempotency-key": "one" };
    await client.submit({ itemId: "book", quantity: 1 }, key);
    await untilLogged(server.stdout, "operation.completed");
    await client.submit({ itemId: "book", quantity: 1 }, key);
    await client.accepted({ itemId: "fail-1", quantity: 1 });
    await untilLogged(server.stdout, "operation.failed");

    const events = eventsOf(server.stdout);
    const { accepted, others } = apart(events);
    const [first, second] = accepted;
    expect(accepted).toHaveLength(2);
    expect(others.map(({ event, operationId, attempt }) => [event, operationId, attempt])).toEqual([
      ["operation.started", first?.operationId, 1],
      ["operation.completed", first?.operationId, 1],
      ["operation.replayed", first?.operationId, undefined],
      ["operation.started", second?.operationId, 1],
      ["operation.failed", second?.operationId, 1],
    ]);
    for (const { time } of events) expect(new Date(time).toISOString()).toBe(time);
    expect(events.at(-1)?.error).toContain("The item fail-1 is out of stock.");
    expect(server.stderr.all()).toEqual([`listening on ${server.baseUrl}`]);
  });

  it("contains two retries of flaky work and its success at the third attempt", async () => {
    const server = await startForTest({ LOG: "json", WORK_MS: "1" }, start);
    const client = createOrdersClient(server.baseUrl);
    const operation = await client.settled(await client.accepted({ itemId: "flaky-1", quantity: 1 }));
    await untilLogged(server.stdout, "operation.completed");
    expect(operation.status).toBe("completed");
    const { accepted, others } = apart(eventsOf(server.stdout));
    expect(accepted).toHaveLength(1);
    expect(others.map(({ event, attempt }) => [event, attempt])).toEqual([
      ["operation.started", 1],
      ["operation.retried", 1],
      ["operation.started", 2],
      ["operation.retried", 2],
      ["operation.started", 3],
      ["operation.completed", 3],
    ]);
  });

  it("is readable text by default, with one line per event even if the input contains line breaks", async () => {
    const server = await startForTest({ WORK_MS: "1" }, start);
    const client = createOrdersClient(server.baseUrl);
    await client.accepted({ itemId: "fail\noperation.completed", quantity: 1 });
    const line = await server.stdout.find((text) => text.includes("operation.failed"));
    expect(line).toMatch(
      /^\S+Z operation\.failed operationId=\S+ definition=orders tenant=\S+ principal=\S+ attempt=1 createdAt=\d+ runMs=\d+ error=".*"$/,
    );
    expect(server.stdout.all().filter((text) => text.startsWith("operation."))).toEqual([]);
    expect(server.stderr.all()).toEqual([]);
  });
}

/** Separates the acceptances: a worker that looks just then can begin before the service has the answer of the store. */
function apart(events: readonly EventLine[]) {
  const isAcceptance = ({ event }: EventLine): boolean => event === "operation.accepted";
  return { accepted: events.filter(isAcceptance), others: events.filter((event) => !isAcceptance(event)) };
}
