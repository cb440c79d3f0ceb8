import { expect, it, vi } from "vitest";
import { startAll } from "./order-bench.js";
import { countEvents } from "./order-processes.js";
import { alternate, keysOf, send, sendAll } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

/** No pause of a busy machine ends such a lease, so no work is repeated. */
const worker = { leaseMs: 20_000 };

describeOnEachStore("processes that receive SIGTERM (F17)", (bench) => {
  it("finish running work and exit with 0 under load, while other processes do the rest", async () => {
    const [first, second] = await startAll(bench(), ["all", "all"], { worker });
    const keys = [...keysOf("load", 400), ...keysOf("slow", 10)];
    const sending = sendAll(keys, alternate([first, second]), { retryMs: 10 });
    await vi.waitUntil(() => first.begun.length > 50);
    expect(await first.stop()).toBe(0);
    const sent = await sending;
    await bench().expectCompleted(sent);
    // No work was repeated: attempts that had started were finished, and no others were started.
    expect(await bench().effects()).toHaveLength(keys.length);
    expect(countEvents("operation.completed", [first])).toBe(countEvents("operation.started", [first]));
    expect(await second.stop()).toBe(0);
  });

  it("release unfinished work after the drain timeout, and exit immediately on a second SIGTERM", async () => {
    const api = await bench().start({ role: "api" });
    const order = await send("hang-1", () => api.baseUrl);
    const patient = await bench().start({ role: "worker", worker: { drainTimeoutMs: 300 } });
    await vi.waitUntil(() => patient.begun.length === 1);
    expect(await patient.stop()).toBe(0);
    const hanging = (await bench().operations()).find(({ id }) => order.operationIds.has(id));
    expect(hanging).toMatchObject({ state: "pending", attempt: 0 });

    const impatient = await bench().start({ role: "worker", worker: { drainTimeoutMs: 60_000 } });
    await vi.waitUntil(() => impatient.begun.length === 1);
    impatient.kill("SIGTERM");
    await vi.waitUntil(() => impatient.stopping());
    impatient.kill("SIGTERM");
    expect(await impatient.exited).toBe(143);
  });
});
