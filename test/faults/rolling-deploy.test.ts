import { problemType } from "async-request-reply/ports";
import { expect, it, vi } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { countRecorded, migrateToNext } from "./next-schema.js";
import type { OrderProcess, ProcessOptions } from "./order-processes.js";
import { newOrder, readOnce, type SentOrder, send, sendOnce } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

/** Number of orders accepted between two steps of a deploy. */
const ORDERS_PER_STEP = 80;
/** The lease is long enough for a busy machine to renew in time, so that only the deploy could cause repeated work. */
const worker = { leaseMs: 20_000, drainTimeoutMs: 20_000 };

describeWithPostgres("a rolling deploy under load", (installation) => {
  const bench = useFaultBench(installation);
  const start = (options: Omit<ProcessOptions, "url" | "worker">): Promise<OrderProcess> =>
    bench().start({ ...options, worker });

  it("lets processes of two releases with different schemas run side by side", async () => {
    const old = [await start({ role: "all" }), await start({ role: "all" })];
    const load = startLoad("schema", old);
    await load.nextStep();
    await migrateToNext(bench().postgres);
    await load.nextStep();
    const next = [
      await start({ role: "all", nextSchema: true, migrate: "manual" }),
      await start({ role: "all", nextSchema: true }),
    ];
    await load.sendTo([...old, ...next]);
    await load.nextStep();
    // Processes of the old release start after the migration, as after a restart or a rollback.
    const late = [await start({ role: "all", migrate: "manual" }), await start({ role: "all" })];
    await load.sendTo([...old, ...next, ...late]);
    await load.nextStep();
    await load.sendTo([...next, ...late]);
    await drain(old);
    await load.nextStep();
    await load.sendTo(next);
    await drain(late);
    await load.nextStep();
    const sent = await load.stop();
    await expectUnharmed(sent);
    const recorded = await countRecorded(bench().postgres);
    expect(recorded.present).toBeGreaterThan(ORDERS_PER_STEP);
    expect(recorded.next).toBeGreaterThan(ORDERS_PER_STEP);
    await drain(next);
  });

  it("lets processes of two releases with different contracts run side by side", async () => {
    const [oldApi, oldWorker] = [await start({ role: "api" }), await start({ role: "worker" })];
    const load = startLoad("contract", [oldApi]);
    await load.nextStep();
    const before = (await bench().effects()).length;
    const nextWorker = await start({ role: "worker", nextContract: true });
    await load.nextStep();
    await drain([oldWorker]);
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
    await drain([nextWorker]);
    const lateWorker = await start({ role: "worker" });
    const late = await untilTerminal(large, nextApi.baseUrl);
    expect(late).toMatchObject({ status: "completed" });
    expect(await untilTerminal(large, oldApi.baseUrl)).toEqual(late);
    const lastWorker = await start({ role: "worker", nextContract: true });
    await drain([lateWorker]);
    // Only the new contract knows the member `gift`.
    const gift = newOrder("gift");
    const members = { gift: true };
    expect(await sendOnce(gift, oldApi.baseUrl, { members })).toBe(422);
    expect(await sendOnce(gift, nextApi.baseUrl, { members })).toBe(202);
    expect(await untilTerminal(gift, oldApi.baseUrl)).toMatchObject({ status: "completed" });
    // The new release still knows the payload of a key that the old one recorded.
    const [known] = load.sent();
    expect(await sendOnce(newOrder(known?.key ?? ""), nextApi.baseUrl, { members })).toBe(422);

    await load.sendTo([nextApi]);
    await drain([oldApi]);
    await load.nextStep();
    await expectUnharmed(await load.stop());
    await drain([nextApi, lastWorker]);
  });

  /** Checks that every request got 202, and that no operation was lost or run twice. */
  async function expectUnharmed(sent: readonly SentOrder[]): Promise<void> {
    await bench().untilTerminal();
    expect(sent.filter(({ statuses }) => statuses.some((status) => status !== 202))).toEqual([]);
    await bench().expectInvariants(sent);
    const effects = await bench().effects();
    expect(effects.length).toBe(new Set(effects.map(({ operationId }) => operationId)).size);
  }
});

/** Clients that send every order twice, to a changing set of processes, as through a load balancer. */
interface Load {
  /** Sends to these processes from now on, and waits for the replies to earlier requests. */
  sendTo(processes: readonly OrderProcess[]): Promise<void>;
  /** Waits until {@link ORDERS_PER_STEP} more orders are accepted. */
  nextStep(): Promise<void>;
  sent(): readonly SentOrder[];
  /** Stops sending and waits for all replies. */
  stop(): Promise<readonly SentOrder[]>;
}

function startLoad(prefix: string, processes: readonly OrderProcess[]): Load {
  let targets = processes;
  let turn = 0;
  let stopped = false;
  const sent: SentOrder[] = [];
  const inFlight = new Set<Promise<unknown>>();
  const tracked = async <T>(request: Promise<T>): Promise<T> => {
    inFlight.add(request);
    return request.finally(() => inFlight.delete(request));
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
    sendTo: async (next) => {
      targets = next;
      await Promise.all(inFlight);
    },
    nextStep: async () => {
      const enough = sent.length + ORDERS_PER_STEP;
      const accepted = vi.waitUntil(() => sent.length >= enough);
      // Ends early if a client fails.
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

/** Polls the operation of an order until it is terminal. */
function untilTerminal({ operationIds }: SentOrder, baseUrl: string): Promise<unknown> {
  const [id = ""] = operationIds;
  const read = async (): Promise<unknown> => {
    const seen = await readOnce(id, baseUrl);
    return typeof seen === "number" || seen.status === "pending" ? undefined : seen;
  };
  return vi.waitUntil(read);
}
