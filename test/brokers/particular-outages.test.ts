import { describe, it } from "vitest";
import { bullmq, startEmptyRedis } from "./bullmq.js";
import { usePrivateBroker } from "./harnesses.js";
import { CALL_MS, expectEveryOperationToRunOnce } from "./outage.js";
import { rabbitmq } from "./rabbitmq.js";
import { rabbitmqctl } from "./rabbitmq-server.js";

describe("RabbitMQ", () => {
  const { newQueue, server } = usePrivateBroker(rabbitmq);
  const control = (...command: string[]): Promise<unknown> => rabbitmqctl(server(), command);

  it("that blocks publishers because memory is short delays the work and no reply (F21)", async () => {
    await expectEveryOperationToRunOnce(newQueue({ timeoutMs: CALL_MS }), async ({ untilFelt }) => {
      await control("set_vm_memory_high_watermark", "absolute", "1MB");
      await untilFelt();
      await control("set_vm_memory_high_watermark", "0.4");
    });
  });

  it("that closes all connections delays the work and no reply (F21)", async () => {
    await expectEveryOperationToRunOnce(newQueue(), async () => {
      await control("close_all_connections", "maintenance");
    });
  });
});

describe("Redis without persistence", () => {
  const { newQueue, server } = usePrivateBroker({ ...bullmq, startServer: startEmptyRedis });

  it("that comes back empty delays the work and no reply (F4)", async () => {
    await expectEveryOperationToRunOnce(newQueue({ timeoutMs: CALL_MS }), async ({ untilFelt }) => {
      await server().kill9();
      await untilFelt();
      await server().start();
    });
  });
});
