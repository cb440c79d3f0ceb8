import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "vitest";
import { brokers } from "./brokers.js";
import { usePrivateBroker } from "./harnesses.js";
import { expectEveryOperationToRunOnce } from "./outage.js";

describe.each(brokers)("an outage of $name", (broker) => {
  const { newQueue, server } = usePrivateBroker(broker);

  it("of 10 s delays the work and no reply (F5)", async () => {
    await expectEveryOperationToRunOnce(newQueue(), async ({ untilFelt }) => {
      await server().stop();
      await Promise.all([sleep(10_000), untilFelt()]);
      await server().start();
    });
  });
});
