import { channel } from "node:diagnostics_channel";
import { createMemoryBackend, isAsyncReplyError, type ServiceEvent, withQueue } from "async-request-reply";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";
import { createSubmitter, createWork, type Work } from "./service.js";

const ID = "01890a5d-ac96-774b-bcce-b302099a8057";
const FOREIGN = [
  "not JSON",
  "null",
  "[]",
  '{"hello":"world"}',
  JSON.stringify({ version: 2, id: `${ID}.a`, operationId: ID, definition: "orders" }),
  JSON.stringify({ version: 1, id: `${ID}.b`, operationId: ID, definition: "reports" }),
  JSON.stringify({ version: 1, id: `${ID}.c`, operationId: "../../etc", definition: "orders" }),
  "x".repeat(100_000),
];

const NEWER = JSON.stringify({ version: 99, id: `${ID}.a`, operationId: ID, definition: "orders" });
/** Longer than any test may take. */
const NEVER_MS = 3_600_000;

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
  const { client } = useBroker(broker);
  let work: Work;

  afterEach(() => work.stop());

  it("are acknowledged and reported once each if they are not announcements", async () => {
    const name = newQueueName();
    const events: ServiceEvent[] = [];
    const queue = client().createQueue({ name, observe: (event) => void events.push(event) });
    const backend = withQueue(createMemoryBackend(), queue);
    const { submit } = createSubmitter(backend);
    work = createWork();
    // The first announcement creates the queue. A worker on BullMQ finds it when it starts, before it listens for others.
    await submit();
    await work.start("worker", backend);
    await expect.poll(work.all).toHaveLength(1);

    for (const body of FOREIGN) await client().publishForeign(name, "orders", body);
    await submit();
    await expect.poll(work.all).toHaveLength(2);
    await expect.poll(() => client().countMessages(name, "orders")).toBe(0);
    const codes = events.map((event) =>
      event.event === "background.failed" && isAsyncReplyError(event.error) ? event.error.code : event.event,
    );
    expect(codes).toEqual(FOREIGN.map(() => "CORRUPT_RECORD"));
    expect(JSON.stringify(events.map(String))).not.toContain("hello");
    await backend.close();
  });

  it.each(["starts", "runs until it is idle"])(
    "of a newer version do not hold up the ones behind them when a worker %s",
    async (how) => {
      const name = newQueueName();
      // Neither a poll nor the sweep can explain that the work starts.
      const polls = broker.name === "BullMQ" ? { pollIntervalMs: NEVER_MS } : {};
      const queue = client().createQueue({ name, observe: false, ...polls });
      const backend = withQueue(createMemoryBackend(), queue);
      const { submit } = createSubmitter(backend);
      work = createWork();
      // The first announcement creates the queue.
      await submit();
      const first = await work.start("first", backend);
      await expect.poll(work.all).toHaveLength(1);
      await first.stop();

      for (let each = 0; each < 20; each += 1) await client().publishForeign(name, "orders", NEWER);
      await submit();
      await expect.poll(() => client().countMessages(name, "orders")).toBe(21);
      const options = { sweepIntervalMs: NEVER_MS };
      if (how === "starts") await work.start("second", backend, undefined, options);
      else await work.runUntilIdle("second", backend, options);
      await expect.poll(work.all, { timeout: 20_000 }).toHaveLength(2);
      await expect.poll(() => client().countMessages(name, "orders")).toBe(0);
      await work.stop();
      await backend.close();
    },
  );

  it("carry the trace context of the submission in header fields", async () => {
    storeMeta(JSON.stringify(TRACE));
    const name = newQueueName();
    const backend = withQueue(createMemoryBackend(), client().createQueue({ name }));
    const { submit } = createSubmitter(backend);
    work = createWork();
    await submit();
    await expect.poll(() => client().countMessages(name, "orders")).toBe(1);
    expect(await client().readTraceFields(name, "orders")).toMatchObject(TRACE);
    await work.start("worker", backend);
    await expect.poll(work.all).toHaveLength(1);
    await backend.close();
  });

  it.each(["7", "null", '"text"', "{}", '{"traceparent":"a\\r\\nb"}', '{"traceparent":1}'])(
    "leave out the meta %s of another subscriber",
    async (meta) => {
      storeMeta(meta);
      const name = newQueueName();
      const backend = withQueue(createMemoryBackend(), client().createQueue({ name }));
      work = createWork();
      await createSubmitter(backend).submit();
      await work.start("worker", backend);
      await expect.poll(work.all).toHaveLength(1);
      await backend.close();
    },
  );

  it("that arrive five times run the work once (F7)", async () => {
    const name = newQueueName();
    const backend = withQueue(createMemoryBackend(), client().createQueue({ name }));
    const { submit, states } = createSubmitter(backend);
    work = createWork();
    const ids = await Promise.all(Array.from({ length: 50 }, () => submit()));
    const again = (suffix: number) =>
      backend.queue.publish(
        ids.map((operationId) => ({
          version: 1,
          id: `${operationId}.${suffix}`,
          operationId,
          definition: "orders",
        })),
      );
    await Promise.all([again(1), again(2)]);
    await Promise.all(["a", "b"].map((worker) => work.start(worker, backend)));
    await Promise.all([again(3), again(4)]);
    await expect.poll(() => client().countMessages(name, "orders")).toBe(0);
    await expect.poll(async () => new Set(await states())).toEqual(new Set(["completed"]));
    expect([...work.all()].sort()).toEqual([...ids].sort());
    await backend.close();
  });

  it("of an operation that keeps failing end with its last attempt", async () => {
    const name = newQueueName();
    const backend = withQueue(createMemoryBackend(), client().createQueue({ name }));
    const { submit, states } = createSubmitter(backend);
    work = createWork();
    const failing = Promise.reject(new Error("This work always fails."));
    failing.catch(() => {});
    await submit();
    await work.start("worker", backend, failing, { maxAttempts: 3, backoff: { baseMs: 1, maxMs: 1 } });
    await expect.poll(states).toEqual(["failed"]);
    expect(work.all()).toHaveLength(3);
    await expect.poll(() => client().countMessages(name, "orders")).toBe(0);
    await backend.close();
  });
});
