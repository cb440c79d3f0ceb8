import { channel } from "node:diagnostics_channel";
import { isAsyncReplyError, type ServiceEvent } from "async-request-reply";
import { describe, expect, it, onTestFinished } from "vitest";
import { brokers } from "./brokers.js";
import { newQueueName, RING, startListener, useBroker } from "./harnesses.js";
import { createSubmitter, createWork } from "./service.js";

const ID = "01890a5d-ac96-774b-bcce-b302099a8057";
const FOREIGN = [
  "not JSON",
  "null",
  "[]",
  '{"hello":"world"}',
  JSON.stringify({ version: 2, operationId: ID, definition: "orders" }),
  JSON.stringify({ version: 1, operationId: ID, definition: "reports" }),
  JSON.stringify({ version: 1, operationId: "../../etc", definition: "orders" }),
  "x".repeat(100_000),
];

const NEWER = JSON.stringify({ version: 99, operationId: ID, definition: "orders" });

const TRACE = {
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  tracestate: "vendor=1",
};

/** Stores `meta` with every operation that is submitted until the end of the test. */
function storeMeta(meta: string): void {
  const submissions = channel("tracing:async-request-reply:submit:start");
  const subscriber = (message: unknown): void => void Object.assign(message as object, { meta });
  submissions.subscribe(subscriber);
  onTestFinished(() => void submissions.unsubscribe(subscriber));
}

describe.each(brokers)("messages on $name", (broker) => {
  const { client, newQueue, newBackend } = useBroker(broker);
  const countMessages = (name: string): Promise<number> => client().countMessages(name, "orders");

  function createScene() {
    const name = newQueueName();
    const backend = newBackend({ name });
    return { name, backend, work: createWork(), ...createSubmitter(backend) };
  }

  it("are acknowledged and reported once each if they are not rings", async () => {
    const name = newQueueName();
    const events: ServiceEvent[] = [];
    const queue = newQueue({ name, observe: (event) => void events.push(event) });
    // The first ring creates the queue.
    await queue.publish([RING]);
    const listener = startListener(queue, "orders");
    await expect.poll(listener.rings).toBe(1);
    for (const body of FOREIGN) await client().publishForeign(name, "orders", body);
    listener.want("orders");
    const codes = (): readonly string[] =>
      events.map((event) =>
        event.event === "background.failed" && isAsyncReplyError(event.error)
          ? `${event.step} ${event.error.code}`
          : event.event,
      );
    await expect.poll(codes).toEqual(FOREIGN.map(() => "read-ring CORRUPT_RECORD"));
    expect(await countMessages(name)).toBe(0);
    expect(JSON.stringify(events.map(String))).not.toContain("hello");
  });

  it("of a newer version do not hold up the rings behind them", async () => {
    const name = newQueueName();
    const queue = newQueue({ name, observe: false });
    // The first ring creates the queue.
    await queue.publish([RING]);
    for (let each = 0; each < 20; each += 1) await client().publishForeign(name, "orders", NEWER);
    await queue.publish([RING]);
    const listener = startListener(queue, "orders");
    await expect.poll(listener.rings).toBe(1);
    listener.want("orders");
    await expect.poll(listener.rings).toBe(2);
    expect(await countMessages(name)).toBe(0);
  });

  it("carry the trace context of the submission in header fields", async () => {
    storeMeta(JSON.stringify(TRACE));
    const { name, backend, work, submit } = createScene();
    await submit();
    await expect.poll(() => countMessages(name)).toBe(1);
    expect(await client().readTraceFields(name, "orders")).toMatchObject(TRACE);
    await work.start("worker", backend);
    await expect.poll(work.all).toHaveLength(1);
  });

  it.each(["7", "null", '"text"', "{}", '{"traceparent":"a\\r\\nb"}', '{"traceparent":1}'])(
    "leave out the meta %s of another subscriber",
    async (meta) => {
      storeMeta(meta);
      const { backend, work, submit } = createScene();
      await submit();
      await work.start("worker", backend);
      await expect.poll(work.all).toHaveLength(1);
    },
  );

  it("that arrive five times run the work once (F7)", async () => {
    const { name, backend, work, submit, states } = createScene();
    const ids = await Promise.all(Array.from({ length: 50 }, () => submit()));
    const again = () =>
      backend.queue.publish(ids.map((operationId) => ({ operationId, definition: "orders" })));
    await Promise.all([again(), again()]);
    await Promise.all(["a", "b"].map((worker) => work.start(worker, backend)));
    await Promise.all([again(), again()]);
    await expect.poll(() => countMessages(name)).toBe(0);
    await expect.poll(async () => new Set(await states())).toEqual(new Set(["completed"]));
    expect([...work.all()].sort()).toEqual([...ids].sort());
  });

  it("of an operation that keeps failing end with its last attempt", async () => {
    const { name, backend, work, submit, states } = createScene();
    const failing = Promise.reject(new Error("This work always fails."));
    failing.catch(() => {});
    await submit();
    await work.start("worker", backend, failing, { maxAttempts: 3, backoff: { baseMs: 1, maxMs: 1 } });
    await expect.poll(states).toEqual(["failed"]);
    expect(work.all()).toHaveLength(3);
    await expect.poll(() => countMessages(name)).toBe(0);
  });
});
