import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { type Behavior, startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { startAll } from "./order-bench.js";
import type { OrderProcess } from "./order-processes.js";
import { alternate, expectNoLongWait, keysOf, type SentOrder, sendAll } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

const cuts = (["up", "down"] as const).flatMap((direction) =>
  [0, 60, 300, 2_000].map((afterBytes): Behavior => ({ does: "cut", direction, afterBytes })),
);
const behaviors: readonly Behavior[] = [
  { does: "drop" },
  { does: "delay", ms: 50 },
  { does: "half-close" },
  { does: "refuse" },
  ...cuts,
];

describeWithPostgres("a faulty network between the processes and Postgres (F22)", (installation) => {
  const bench = useFaultBench(installation);
  let proxy: TcpProxy;
  let apis: readonly OrderProcess[];
  const sent: SentOrder[] = [];
  beforeAll(async () => {
    proxy = await startTcpProxy(bench().postgres.port);
    // Without a timeout a client waits as long as TCP does, which is many minutes.
    const pool = { query_timeout: 2_000, max: 5 };
    const url = bench().postgres.url(proxy.port);
    const ledgerUrl = bench().postgres.url();
    const roles = ["api", "api", "worker", "worker"] as const;
    const [one, other] = await startAll(bench(), roles, { url, ledgerUrl, pool });
    apis = [one, other];
  });
  afterAll(() => proxy?.close());

  it.each(behaviors.map((behavior) => ({ name: Object.values(behavior).join(" "), behavior })))(
    "causes no long waits, losses or duplicates: $name",
    async ({ name, behavior }) => {
      const sending = sendAll(keysOf(name.replaceAll(" ", "-"), 60), alternate(apis), { clients: 8 });
      await proxy.set(behavior);
      const passing = setTimeout(() => void proxy.set({ does: "pass" }), 3_000);
      sent.push(...(await sending));
      clearTimeout(passing);
      await proxy.set({ does: "pass" });
      await bench().expectCompleted(sent);
      expectNoLongWait(sent);
    },
  );

  it("has cut as many connections as the tests asked for", () => {
    expect(proxy.cuts()).toBe(cuts.length);
  });
});
