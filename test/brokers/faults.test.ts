import { setTimeout as sleep } from "node:timers/promises";
import type { Ring } from "async-request-reply/ports";
import { expect, it } from "vitest";
import { countEvents, type ProcessOptions } from "../faults/order-processes.js";
import { expectUnavailable, idsOf, keysOf, type SentOrder, send, sendAll } from "../faults/orders.js";
import { startTcpProxy } from "../support/tcp-proxy.js";
import { describeOnEachMix } from "./mixes.js";
import { expectOneEffectEach, startOrderService } from "./order-service.js";
import { cutOnce, endDrop } from "./outage.js";

describeOnEachMix("processes with a broker that fails", ({ bench, broker, server, client, url, store }) => {
  const startAll = (options?: Partial<ProcessOptions>) => startOrderService({ bench, client }, options);

  it.each([
    ["stopped for 10 s (F5)", "stopped", () => server().stop(), 10_000],
    ["killed with SIGKILL (F4)", "killed", () => server().settle().then(server().kill9), 500],
  ])("accept every order and run it once if it is %s", async (_, key, end, downMs) => {
    const { anyApi, stop } = await startAll();
    const sent = [...(await sendAll(keysOf(`${key}-before`, 50), anyApi))];
    await bench().untilTerminal();
    await end();
    const down = sleep(downMs);
    sent.push(...(await sendAll(keysOf(`${key}-meanwhile`, 300), anyApi)));
    await down;
    await server().start();
    sent.push(...(await sendAll(keysOf(`${key}-after`, 50), anyApi)));
    await expectOneEffectEach(bench(), sent);
    await stop();
  });

  it("accept every order and run it once over a network that cuts confirms and drops bytes (F22)", async () => {
    const proxy = await startTcpProxy(server().port);
    const { anyApi, stop } = await startAll({ queue: url(proxy.port), broker: { timeoutMs: 500 } });
    const sent = [...(await sendAll(keysOf("before-cuts", 20), anyApi))];
    for (let cut = 0; cut < 6; cut += 1) {
      await cutOnce(proxy, cut);
      sent.push(...(await sendAll(keysOf(`cut-${cut}`, 30), anyApi)));
      await expect.poll(proxy.cuts).toBe(cut + 1);
    }
    await proxy.set({ does: "drop" });
    sent.push(...(await sendAll(keysOf("dropped", 30), anyApi)));
    await expect.poll(proxy.droppedBytes).toBeGreaterThan(0);
    await endDrop(proxy);
    await expectOneEffectEach(bench(), sent);
    await stop();
    await proxy.close();
  });

  it("run the work once if every message comes five times (F7)", async () => {
    const { anyApi, stop, workers } = await startAll();
    const ringAgain = async (sent: readonly SentOrder[]): Promise<void> => {
      for (let time = 0; time < 5; time += 1) await bench().publish(ringsOf(sent));
    };
    for (const worker of workers) worker.kill("SIGSTOP");
    const sent = await sendAll(keysOf("five-times", 200), anyApi);
    await ringAgain(sent);
    for (const worker of workers) worker.kill("SIGCONT");
    await ringAgain(sent);
    await expectOneEffectEach(bench(), sent);
    await stop();
  });

  it("answer 503 while the store is down, and workers do not retry in a busy loop (F6)", async () => {
    const { anyApi, stop, workers } = await startAll();
    const known = await sendAll(keysOf(`known-${broker.name}`, 20), anyApi);
    await bench().untilTerminal();
    const { postgres, lock } = bench();
    const restore =
      postgres === undefined ? await lock() : await postgres.stop("fast").then(() => postgres.start);
    const before = countEvents("background.failed", workers);
    await bench().publish(ringsOf(known));
    await expectUnavailable(`down-${store}`, anyApi());
    await sleep(3_000);
    // Each of two workers claims every second, and has a sweep of two steps every 100 ms.
    expect(countEvents("background.failed", workers) - before).toBeLessThan(300);
    await restore();
    const later = await send(`down-${store}`, anyApi);
    await bench().expectCompleted([...known, later]);
    await stop();
  });
});

function ringsOf(sent: readonly SentOrder[]): readonly Ring[] {
  return idsOf(...sent).map((operationId) => ({ operationId, definition: "orders" }));
}
