import { problemType } from "async-request-reply/ports";
import { expect, it, vi } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { startAll } from "./order-bench.js";
import { type OrderProcess, type ProcessOptions, stopAll } from "./order-processes.js";
import { alternate, newOrder, readOnce, type SentOrder, send, sendOnce, statusesOf } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

/** Number of orders accepted between two steps of a deploy. */
const ORDERS_PER_STEP = 80;
/** The lease is long enough for a busy machine to renew in time, so that only the deploy could cause repeated work. */
const worker = { leaseMs: 20_000, drainTimeoutMs: 20_000 };

describeWithPostgres("a rolling deploy under load", (installation) => {
  const bench = useFaultBench(installation);
  const start = (options: Omit<ProcessOptions, "url" | "worker">): Promise<OrderProcess> =>
    bench().start({ ...options, worker });

  it("lets processes of two releases with different contracts run side by side", async () => {
    const [oldApi, oldWorker] = await startAll(bench(), ["api", "worker"], { worker });
    const load = startLoad("contract", [oldApi]);
    await load.nextStep();
    const before = (await bench().effects()).length;
    const nextWorker = await start({ role: "worker", nextContract: true });
    await load.nextStep();
    await stopAll([oldWorker]);
    expect((await bench().effects()).length).toBeGreaterThan(before);
    const nextApi = await start({ role: "api", nextContract: true });
    await load.sendTo([oldApi, nextApi]);
    await load.nextStep();

    // The old contract accepts this order and the new one refuses it. It waits for a worker with the old contract.
    const large = newOrder("large");
    expect(await sendOnce(large, oldApi.baseUrl, { members: { quantity: 500 } })).toBe(202);
    expect(await sendOnce(large, nextApi.baseUrl, { members: { quantity: 500 } })).toBe(422);
    await vi.waitUntil(async () =>
      (await bench().operations()).some(({ lastError = "" }) =>
        lastError.includes(problemType("input-refused")),
      ),
    );
    await stopAll([nextWorker]);
    const lateWorker = await start({ role: "worker" });
    const late = await untilTerminal(large, nextApi.baseUrl);
    expect(late).toMatchObject({ status: "completed" });
    expect(await untilTerminal(large, oldApi.baseUrl)).toEqual(late);
    const lastWorker = await start({ role: "worker", nextContract: true });
    await stopAll([lateWorker]);
    // Only the new contract knows the member `gift`.
    const gift = newOrder("gift");
    const members = { gift: true };
    expect(await sendOnce(gift, oldApi.baseUrl, { members })).toBe(422);
    expect(await sendOnce(gift, nextApi.baseUrl, { members })).toBe(202);
    expect(await untilTerminal(gift, oldApi.baseUrl)).toMatchObject({ status: "completed" });
    // The new release still knows the payload of a key that the old one recorded.
    const [known] = load.sent;
    expect(await sendOnce(newOrder(known?.key ?? ""), nextApi.baseUrl, { members })).toBe(422);

    await load.sendTo([nextApi]);
    await stopAll([oldApi]);
    await load.nextStep();
    await expectUnharmed(await load.stop());
    await stopAll([nextApi, lastWorker]);
  });

  /** Checks that every request got 202, and that no operation was lost or run twice. */
  async function expectUnharmed(sent: readonly SentOrder[]): Promise<void> {
    await bench().expectCompleted(sent);
    expect(statusesOf(sent)).toEqual(new Set([202]));
    const effects = await bench().effects();
    expect(effects.length).toBe(new Set(effects.map(({ operationId }) => operationId)).size);
  }
});

/** Clients that send every order twice, to a changing set of processes, as through a load balancer. */
function startLoad(prefix: string, processes: readonly OrderProcess[]) {
  let chooseUrl = alternate(processes);
  let stopped = false;
  const sent: SentOrder[] = [];
  const inFlight = new Set<Promise<unknown>>();
  const tracked = async <T>(request: Promise<T>): Promise<T> => {
    inFlight.add(request);
    return request.finally(() => inFlight.delete(request));
  };
  const client = async (name: number): Promise<void> => {
    for (let count = 1; !stopped; count += 1) {
      const order = await tracked(send(`${prefix}-${name}-${count}`, () => chooseUrl()));
      await tracked(sendOnce(order, chooseUrl()));
      sent.push(order);
    }
  };
  const clients = Promise.all(Array.from({ length: 8 }, (_, name) => client(name)));
  return {
    /** Sends to these processes from now on, and waits for the replies to earlier requests. */
    sendTo: async (next: readonly OrderProcess[]) => {
      chooseUrl = alternate(next);
      await Promise.all(inFlight);
    },
    /** Waits until {@link ORDERS_PER_STEP} more orders are accepted. */
    nextStep: async () => {
      const enough = sent.length + ORDERS_PER_STEP;
      const accepted = vi.waitUntil(() => sent.length >= enough);
      // Ends early if a client fails.
      await Promise.race([accepted, clients]);
    },
    sent,
    /** Stops sending and waits for all replies. */
    stop: async () => {
      stopped = true;
      await clients;
      return sent;
    },
  };
}

/** Polls the operation of an order until it is terminal. */
function untilTerminal({ operationIds }: SentOrder, baseUrl: string): Promise<unknown> {
  const [id = ""] = operationIds;
  const read = async (): Promise<unknown> => {
    const seen = await readOnce(id, baseUrl);
    return typeof seen === "number" || seen.status === "pending" ? undefined : seen;
  };
  return vi.waitUntil(read);
}
