import { expect, it, vi } from "vitest";
import type { OrderProcess } from "./order-processes.js";
import { alternate, keysOf, send, sendAll } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

const TEN_MINUTES_MS = 600_000;

describeOnEachStore("processes whose clocks are ten minutes fast and slow (F10)", (bench) => {
  const skews = [-TEN_MINUTES_MS, TEN_MINUTES_MS];

  it("end leases and retention on time", async () => {
    const start = (role: "api" | "worker") => (clockSkewMs: number) =>
      bench().start({
        role,
        clockSkewMs,
        slowMs: 6_000,
        definition: { retentionMs: 60_000 },
        worker: { leaseMs: 3_000 },
      });
    const apis = await Promise.all(skews.map(start("api")));
    const sent = await sendAll([...keysOf("slow", 6), ...keysOf("quick", 50)], alternate(apis));
    const workers = await Promise.all(skews.map(start("worker")));
    await bench().expectCompleted(sent);
    // The work takes two lease times. A process that used its own clock would have taken it over.
    expect(await bench().effects()).toHaveLength(sent.length);

    const late = await send("slow-last", alternate(apis));
    const holds = ({ begun }: OrderProcess): boolean => late.operationIds.has(begun.at(-1) ?? "");
    const holder = await vi.waitUntil(() => workers.find(holds));
    holder.kill("SIGKILL");
    await bench().expectCompleted([...sent, late], 20_000);
  });
});
