import { createMemoryBackend, withQueue } from "async-request-reply";
import type { Announcement } from "async-request-reply/ports";
import { describe, expect, it, onTestFinished } from "vitest";
import { bullmq, startEmptyRedis } from "./bullmq.js";
import { newQueueName, useBroker } from "./harnesses.js";
import { expectEveryOperationToRunOnce, RECOVERY } from "./outage.js";
import { rabbitmq } from "./rabbitmq.js";
import { rabbitmqctl } from "./rabbitmq-server.js";
import { createSubmitter, createWork } from "./service.js";

const ID = "01900000-0000-7000-8000-000000000001";
/** Announces an operation that does not exist, which a worker ignores. */
const ANNOUNCEMENT: Announcement = { version: 1, id: `${ID}.a`, operationId: ID, definition: "orders" };

describe("RabbitMQ", () => {
  const { client, server } = useBroker(rabbitmq);
  const control = (...command: string[]): Promise<unknown> => rabbitmqctl(server(), command);

  it("that blocks publishers because memory is short delays the work and no reply (F21)", async () => {
    const queue = client().createQueue({ name: newQueueName(), timeoutMs: 1_000 });
    await expectEveryOperationToRunOnce(queue, async () => {
      await control("set_vm_memory_high_watermark", "absolute", "1MB");
      await expect
        .poll(() => queue.publish([ANNOUNCEMENT]).catch((error: unknown) => error), RECOVERY)
        .toMatchObject({ code: "QUEUE_UNAVAILABLE" });
      await control("set_vm_memory_high_watermark", "0.4");
    });
  });

  it("that closes all connections delays the work and no reply (F21)", async () => {
    const queue = client().createQueue({ name: newQueueName() });
    await expectEveryOperationToRunOnce(queue, async () => {
      await control("close_all_connections", "maintenance");
    });
  });
});

describe("Redis without persistence", () => {
  const { client, server } = useBroker({ ...bullmq, startServer: startEmptyRedis });

  it("that comes back empty delays the work: the sweep announces it again (F4)", async () => {
    const name = newQueueName();
    const queue = client().createQueue({ name });
    const backend = withQueue(createMemoryBackend(), queue);
    const { submit, states } = createSubmitter(backend);
    const work = createWork();
    onTestFinished(() => work.stop());
    const ids = await Promise.all(Array.from({ length: 20 }, () => submit()));
    await expect.poll(() => client().countMessages(name, "orders")).toBe(ids.length);
    await server().kill9();
    await server().start();
    await Promise.all(["a", "b"].map((worker) => work.start(worker, backend)));
    await expect.poll(async () => new Set(await states()), RECOVERY).toEqual(new Set(["completed"]));
    expect([...work.all()].sort()).toEqual([...ids].sort());
    await work.stop();
    await backend.close();
  });
});
