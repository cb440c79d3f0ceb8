import { withQueue } from "async-request-reply";
import { describe, expect, it, onTestFinished } from "vitest";
import { bullmq, startEmptyRedis } from "./bullmq.js";
import { newQueueName, usePrivateBroker } from "./harnesses.js";
import { CALL_MS, createImpatientStore, expectEveryOperationToRunOnce, RECOVERY } from "./outage.js";
import { rabbitmq } from "./rabbitmq.js";
import { rabbitmqctl } from "./rabbitmq-server.js";
import { createSubmitter, createWork } from "./service.js";

describe("RabbitMQ", () => {
  const { client, server } = usePrivateBroker(rabbitmq);
  const control = (...command: string[]): Promise<unknown> => rabbitmqctl(server(), command);

  it("that blocks publishers because memory is short delays the work and no reply (F21)", async () => {
    const queue = client().createQueue({ name: newQueueName(), timeoutMs: CALL_MS });
    await expectEveryOperationToRunOnce(queue, async ({ untilFelt }) => {
      await control("set_vm_memory_high_watermark", "absolute", "1MB");
      await untilFelt();
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
  const { client, server } = usePrivateBroker({ ...bullmq, startServer: startEmptyRedis });

  it("that comes back empty delays the work: the sweep announces it again (F4)", async () => {
    const name = newQueueName();
    const { store, announceAgain } = createImpatientStore();
    const backend = withQueue(store, client().createQueue({ name }));
    const { submit, states } = createSubmitter(backend);
    const work = createWork();
    onTestFinished(() => work.stop());
    const ids = await Promise.all(Array.from({ length: 20 }, () => submit()));
    await expect.poll(() => client().countMessages(name, "orders")).toBe(ids.length);
    await server().kill9();
    await server().start();
    await Promise.all(["a", "b"].map((worker) => work.start(worker, backend)));
    announceAgain();
    await expect.poll(async () => new Set(await states()), RECOVERY).toEqual(new Set(["completed"]));
    expect([...work.all()].sort()).toEqual([...ids].sort());
    await work.stop();
    await backend.close();
  });
});
