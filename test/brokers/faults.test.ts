import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import type { OrderProcess, ProcessOptions } from "../faults/order-processes.js";
import { keysOf, newOrder, type SentOrder, send, sendAll, sendOnce } from "../faults/orders.js";
import { startTcpProxy } from "../support/tcp-proxy.js";
import { describeOnEachMix } from "./mixes.js";
import { expectOneEffectEach, startOrderService } from "./order-service.js";

describeOnEachMix("processes with a broker that fails", ({ bench, broker, server, client, url, store }) => {
  const startAll = (options?: Partial<ProcessOptions>) => startOrderService({ bench, client }, options);

  it.each([
    ["is killed before it acknowledges the message", "SIGKILL"],
    ["pauses past its lease before it acknowledges the message", "SIGSTOP"],
  ] as const)("complete the order as one operation if a worker %s (F8)", async (_, crashBy) => {
    const api = await bench().start({ role: "api" });
    const crashing = await bench().start({ role: "worker", crashAt: "before-ack", crashBy });
    const order = await send(`ack-${crashBy}`, () => api.baseUrl);
    const hasCrashed = (): boolean => !crashing.running() || isStopped(crashing);
    await vi.waitUntil(hasCrashed, { timeout: 60_000, interval: 50 });
    const stateOf = async () => (await bench().operations()).find(({ key }) => key === order.key);
    // The attempt has begun, and the message is not acknowledged yet.
    expect(await stateOf()).toMatchObject({ state: "pending", attempt: 1 });
    const other = await bench().start({ role: "worker" });
    await bench().untilTerminal();
    expect(other.begun).toContain((await stateOf())?.id);
    crashing.kill("SIGCONT");
    await bench().expectInvariants([order]);
    const rest: OrderProcess[] = [api, other, ...(crashBy === "SIGSTOP" ? [crashing] : [])];
    for (const process of rest) process.kill("SIGTERM");
    expect(await Promise.all(rest.map(({ exited }) => exited))).toEqual(rest.map(() => 0));
    await bench().expectInvariants([order]);
  });

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
      const direction = cut % 2 === 0 ? "down" : "up";
      await proxy.set({ does: "cut", direction, afterBytes: 50 + 37 * cut });
      sent.push(...(await sendAll(keysOf(`cut-${cut}`, 30), anyApi)));
      await expect.poll(proxy.cuts).toBe(cut + 1);
    }
    await proxy.set({ does: "drop" });
    sent.push(...(await sendAll(keysOf("dropped", 30), anyApi)));
    await expect.poll(proxy.droppedBytes).toBeGreaterThan(0);
    // Ends the connections that lost bytes, as a network does after a while.
    await proxy.set({ does: "refuse" });
    await proxy.set({ does: "pass" });
    await expectOneEffectEach(bench(), sent);
    await stop();
    await proxy.close();
  });

  it("run the work once if every message comes five times (F7)", async () => {
    const { anyApi, stop, workers } = await startAll();
    const announceAgain = async (sent: readonly SentOrder[]): Promise<void> => {
      const ids = sent.flatMap(({ operationIds }) => [...operationIds]);
      for (let time = 0; time < 5; time += 1)
        await bench().publish(
          ids.map((id) => ({ version: 1, id: `${id}.${time}`, operationId: id, definition: "orders" })),
        );
    };
    for (const worker of workers) worker.kill("SIGSTOP");
    const sent = await sendAll(keysOf("five-times", 200), anyApi);
    await announceAgain(sent);
    for (const worker of workers) worker.kill("SIGCONT");
    await announceAgain(sent);
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
    const failures = (): number =>
      workers.flatMap(({ events }) => events).filter(({ event }) => event === "background.failed").length;
    const before = failures();
    await bench().publish(
      known.flatMap(({ operationIds }) =>
        [...operationIds].map((id) => ({
          version: 1,
          id: `${id}.again`,
          operationId: id,
          definition: "orders",
        })),
      ),
    );
    const down = newOrder(`down-${store}`);
    expect(await sendOnce(down, anyApi())).toBe(503);
    expect(down.missingRetryAfter).toBe(0);
    await sleep(3_000);
    // 20 deliveries come again every second, and each of two workers has a sweep of two steps every 100 ms.
    expect(failures() - before).toBeLessThan(300);
    await restore();
    const later = await send(down.key, anyApi);
    await bench().untilTerminal();
    await bench().expectInvariants([...known, later]);
    await stop();
  });
});

/** Whether SIGSTOP has paused the process. */
function isStopped({ pid }: OrderProcess): boolean {
  return readFileSync(`/proc/${pid}/stat`, "utf8").includes(") T ");
}
