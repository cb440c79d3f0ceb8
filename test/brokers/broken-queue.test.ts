import { createMemoryBackend, type Queue, type ServiceEvent, withQueue } from "async-request-reply";
import { afterEach, describe, expect, it } from "vitest";
import { receiveOnce } from "../support/consumers.js";
import { newQueueName, useBroker } from "./harnesses.js";
import { nats } from "./nats.js";
import { rabbitmq } from "./rabbitmq.js";
import { createSubmitter, createWork, orders, reports, type Work } from "./service.js";

/** Longer than the test, so that only the broker can wake up a worker. */
const NO_SWEEP = { sweepIntervalMs: 600_000 };

describe.each([rabbitmq, nats])("a definition without a queue on $name", (broker) => {
  const { client } = useBroker(broker);
  let work: Work;
  afterEach(() => work.stop());

  it("is reported and does not hold up another one, until the queue exists (F21)", async () => {
    const name = newQueueName();
    const declaring = client().createQueue({ name });
    await createQueueOf(declaring, orders.name);
    const events: ServiceEvent[] = [];
    const observe = (event: ServiceEvent): void => void events.push(event);
    const passive = client().createQueue({ name, declare: false, observe });
    const backend = withQueue(createMemoryBackend(), passive);
    const { submit } = createSubmitter(backend);
    work = createWork(observe);
    await work.start("worker", backend, undefined, NO_SWEEP);
    const report = await submit(reports);
    for (let count = 1; count <= 3; count += 1) {
      await submit(orders);
      await expect.poll(work.all, { timeout: 20_000 }).toHaveLength(count);
    }
    const failed = events.filter((event) => event.event === "background.failed" && event.step === "receive");
    expect(failed.length).toBeGreaterThan(0);

    await createQueueOf(declaring, reports.name);
    await expect.poll(work.all, { timeout: 30_000 }).toContain(report);
    await work.stop();
    await declaring.close();
    await backend.close();
  });
});

/** Creates the queue of a definition, because a consumer declares it. Returns what it receives to the queue. */
async function createQueueOf(declaring: Queue, definition: string): Promise<void> {
  for (const delivery of await receiveOnce(declaring, { definitions: [definition] })) await delivery.nack();
}
