import type { ServiceEvent } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { brokers } from "./brokers.js";
import { useBroker } from "./harnesses.js";
import { createSubmitter, createWork, orders, reports } from "./service.js";

/** Enough to meet a broker that is not ready with a queue that it has just created. */
const ROUNDS = 25;

describe.each(brokers)("a new queue on $name", (broker) => {
  const { newBackend } = useBroker(broker);

  it("can be used by workers and the service at the same moment, and closed, without a failure", async () => {
    const failures: ServiceEvent[] = [];
    const observe = (event: ServiceEvent): void => {
      if (event.event === "background.failed") failures.push(event);
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      // Closes the back end again after the call below.
      await using backend = newBackend({ observe });
      const { submit, close } = createSubmitter(backend, observe);
      const work = createWork(observe);
      const ids = [submit(orders), submit(reports)];
      await Promise.all(["a", "b", "c"].map((name) => work.start(name, backend)));
      await expect.poll(work.all, { interval: 5 }).toHaveLength(2);
      expect([...work.all()].sort()).toEqual((await Promise.all(ids)).sort());
      await work.stop();
      await close();
      await backend.close();
    }
    expect(failures).toEqual([]);
  });
});
