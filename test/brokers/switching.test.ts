import { createMemoryBackend, withQueue } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { brokers } from "./brokers.js";
import { useBroker } from "./harnesses.js";
import { createSubmitter, createWork } from "./service.js";

describe.each(brokers)("a running service", (broker) => {
  const { newQueue } = useBroker(broker);

  it.each(["to", "from"])(`loses no work when it changes %s a queue on ${broker.name}`, async (direction) => {
    const store = createMemoryBackend();
    const onBroker = withQueue(store, newQueue());
    const [before, after] = direction === "to" ? [store, onBroker] : [onBroker, store];
    const [old, current] = [createSubmitter(before), createSubmitter(after)];
    const work = createWork();
    const oldWorker = await work.start("old", before);
    await work.start("new", after);
    for (let count = 0; count < 20; count += 1) await (count % 2 === 0 ? old : current).submit();
    await expect.poll(old.states).toEqual(Array<string>(10).fill("completed"));
    await expect.poll(current.states).toEqual(Array<string>(10).fill("completed"));

    await oldWorker.stop();
    // These ring for a queue to which no worker listens any more. The new worker claims them after 10 s at most.
    for (let count = 0; count < 5; count += 1) await old.submit();
    await expect.poll(old.states).toEqual(Array<string>(15).fill("completed"));
    expect(new Set(work.all()).size).toBe(work.all().length);
    await work.stop();
    await onBroker.close();
  });
});
