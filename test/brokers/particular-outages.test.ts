import { describe, it } from "vitest";
import { bullmq, startEmptyRedis } from "./bullmq.js";
import { newQueueName, usePrivateBroker } from "./harnesses.js";
import { CALL_MS, expectEveryOperationToRunOnce } from "./outage.js";
import { rabbitmq } from "./rabbitmq.js";
import { rabbitmqctl } from "./rabbitmq-server.js";

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

  it("that comes back empty delays the work and no reply (F4)", async () => {
    const queue = client().createQueue({ name: newQueueName(), timeoutMs: CALL_MS });
    await expectEveryOperationToRunOnce(queue, async ({ untilFelt }) => {
      await server().kill9();
      await untilFelt();
      await server().start();
    });
  });
});
