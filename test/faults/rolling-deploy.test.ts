import { problemType } from "async-request-reply";
import { expect, it, vi } from "vitest";
import { describeWithPostgres } from "../servers/postgres-installation.js";
import { countRecorded, migrateToNext } from "./next-schema.js";
import type { OrderProcess, ProcessOptions } from "./order-processes.js";
import { newOrder, readOnce, type SentOrder, send, sendOnce } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

/** How many orders are accepted between two steps of a deploy. */
const BETWEEN = 80;
/** Longer than a busy machine keeps a process from renewing: whatever is done twice was done so by the deploy. */
const worker = { leaseMs: 20_000, drainTimeoutMs: 20_000 };

describeWithPostgres("a deploy under load", (installation) => {
  const bench = useFaultBench(installation);
  const start = (options: Omit<ProcessOptions, "url" | "worker">): Promise<OrderProcess> =>
    bench().start({ ...options, worker });

  it("of a release with another schema lets old and new processes go on side by side", async () => {
    const old = [await start({ role: "all" }), await start({ role: "all" })];
    const load = startLoad("schema", old);
    await load.more();
    await migrateToNext(bench().postgres);
    await load.more();
    const next = [
      await start({ role: "all", nextSchema: true, migrate: "manual" }),
      await start({ role: "all", nextSchema: true }),
    ];
    await load.send([...old, ...next]);
    await load.more();
    // Of the release before, started after the migration: as when a process is replaced, or a deploy is taken back.
    const late = [await start({ role: "all", migrate: "manual" }), await start({ role: "all" })];
    await load.send([...old, ...next, ...late]);
    await load.more();
    await load.send([...next, ...late]);
    await drain(old);
    await load.more();
    await load.send(next);
    await drain(late);
    await load.more();
    const sent = await load.stop();
    await expectUnharmed(sent);
    const recorded = await countRecorded(bench().postgres);
    expect(recorded.present).toBeGreaterThan(BETWEEN);
    expect(recorded.next).toBeGreaterThan(BETWEEN);
    await drain(next);
  });

  it("of a release with another contract lets old and new processes go on side by side", async () => {
    const [oldApi, oldWorker] = [await start({ role: "api" }), await start({ role: "worker" })];
    const load = startLoad("contract", [oldApi]);
    await load.more();
    const before = (await bench().effects()).length;
    const nextWorker = await start({ role: "worker", nextContract: true });
    await load.more();
    await drain([oldWorker]);
    expect((await bench().effects()).length).toBeGreaterThan(before);
    const nextApi = await start({ role: "api", nextContract: true });
    await load.send([oldApi, nextApi]);
    await load.more();

    // Accepted by the old contract, and refused by the new one: it waits for a worker that accepts it.
    const large = newOrder("large");
    expect(await sendOnce(large, oldApi.baseUrl, { members: { quantity: 500 } })).toBe(202);
    expect(await sendOnce(large, nextApi.baseUrl, { members: { quantity: 500 } })).toBe(422);
    await vi.waitUntil(async () =>
      (await bench().operations()).some(({ lastError = "" }) =>
        lastError.includes(problemType("input-refused")),
      ),
    );
    await drain([nextWorker]);
    const lateWorker = await start({ role: "worker" });
    const late = await ended(large, nextApi.baseUrl);
    expect(late).toMatchObject({ status: "completed" });
    expect(await ended(large, oldApi.baseUrl)).toEqual(late);
    const lastWorker = await start({ role: "worker", nextContract: true });
    await drain([lateWorker]);
    // Of the new contract only: the old one does not know the member.
    const gift = newOrder("gift");
    const members = { gift: true };
    expect(await sendOnce(gift, oldApi.baseUrl, { members })).toBe(422);
    expect(await sendOnce(gift, nextApi.baseUrl, { members })).toBe(202);
    expect(await ended(gift, oldApi.baseUrl)).toMatchObject({ status: "completed" });
    // A key keeps its meaning over the deploy.
    const [known] = load.sent();
    expect(await sendOnce(newOrder(known?.key ?? ""), nextApi.baseUrl, { members })).toBe(422);

    await load.send([nextApi]);
    await drain([oldApi]);
    await load.more();
    await expectUnharmed(await load.stop());
    await drain([nextApi, lastWorker]);
  });

  /** Nobody was told to come again, nothing was lost, and nothing was done twice. */
  async function expectUnharmed(sent: readonly SentOrder[]): Promise<void> {
    await bench().settled();
    expect(sent.filter(({ statuses }) => statuses.some((status) => status !== 202))).toEqual([]);
    await bench().expectInvariants(sent);
    const effects = await bench().effects();
    expect(effects.length).toBe(new Set(effects.map(({ operationId }) => operationId)).size);
  }
});

/** Clients that send orders, each of them twice, to processes that change as those behind a load balancer do. */
interface Load {
  /** Sends to these from now on, and waits for the replies of those before. */
  send(processes: readonly OrderProcess[]): Promise<void>;
  /** Waits until so many more orders were accepted as two steps should be apart. */
  more(): Promise<void>;
  sent(): readonly SentOrder[];
  /** Waits for all replies. */
  stop(): Promise<readonly SentOrder[]>;
}

function startLoad(prefix: string, processes: readonly OrderProcess[]): Load {
  let targets = processes;
  let turn = 0;
  let stopped = false;
  const sent: SentOrder[] = [];
  const underWay = new Set<Promise<unknown>>();
  const tracked = async <T>(request: Promise<T>): Promise<T> => {
    underWay.add(request);
    return request.finally(() => underWay.delete(request));
  };
  const chooseUrl = (): string => {
    turn += 1;
    return targets[turn % targets.length]?.baseUrl ?? "";
  };
  const client = async (name: number): Promise<void> => {
    for (let count = 1; !stopped; count += 1) {
      const order = await tracked(send(`${prefix}-${name}-${count}`, chooseUrl));
      await tracked(sendOnce(order, chooseUrl()));
      sent.push(order);
    }
  };
  const clients = Promise.all(Array.from({ length: 8 }, (_, name) => client(name)));
  return {
    send: async (next) => {
      targets = next;
      await Promise.all(underWay);
    },
    more: async () => {
      const enough = sent.length + BETWEEN;
      const accepted = vi.waitUntil(() => sent.length >= enough, { timeout: 60_000 });
      // A client that fails would be waited for in vain.
      await Promise.race([accepted, clients]);
    },
    sent: () => sent,
    stop: async () => {
      stopped = true;
      await clients;
      return sent;
    },
  };
}

async function drain(processes: readonly OrderProcess[]): Promise<void> {
  for (const process of processes) process.kill("SIGTERM");
  expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual(processes.map(() => 0));
}

/** The operation of an order, once it is terminal. */
function ended({ operationIds }: SentOrder, baseUrl: string): Promise<unknown> {
  const [id = ""] = operationIds;
  const read = async (): Promise<unknown> => {
    const seen = await readOnce(id, baseUrl);
    return typeof seen === "number" || seen.status === "pending" ? undefined : seen;
  };
  return vi.waitUntil(read, { timeout: 60_000 });
}
