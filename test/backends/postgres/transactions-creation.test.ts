import { createWorker, permanentFailure } from "async-request-reply";
import { expect, it, vi } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { signalOf } from "../../support/worker-stage.js";
import { type LossAt, losingCommit } from "./lost-commit.js";
import { bodyOf, createTransactionStage, idOf, ORDER, type StageOptions } from "./transaction-stage.js";

type Create = NonNullable<StageOptions["create"]>;

const title = "an order that is created before the reply, in the transaction that records it";

await describePostgres(title, (server) => {
  const createOrder: Create = async (order, { tx, operationId }, stage) => {
    if (tx === undefined) throw new Error("expected a transaction");
    await stage.write(tx, operationId);
    return { body: { ...order }, location: `/orders/${operationId}` };
  };

  it("exists together with its operation, and the work is announced", async () => {
    const stage = await createTransactionStage(server, { create: createOrder });
    const reply = await stage.submit("k");
    const id = idOf(reply);
    expect([reply.status, reply.headers.location, bodyOf(reply)]).toEqual([
      201,
      `/orders/${id}`,
      { ...ORDER, status: "pending" },
    ]);
    expect(await stage.effects()).toEqual([id]);
    expect(await stage.read(id)).toMatchObject({ state: "pending", attempt: 0 });
    const replay = await stage.submit("k");
    expect([replay.status, replay.body, replay.headers["idempotent-replayed"]]).toEqual([
      201,
      reply.body,
      "true",
    ]);
    expect(await stage.effects()).toEqual([id]);
    await createWorker(stage.service, { orders: () => "shipped" }).runUntilIdle();
    expect((await stage.read(id)).result).toBe('"shipped"');
  });

  it("is not answered with 201 if `create` rolls back the transaction", async () => {
    const rollingBack: Create = async (order, context, stage) => {
      const created = await createOrder(order, context, stage);
      await context.tx?.query("rollback");
      return created;
    };
    const stage = await createTransactionStage(server, { create: rollingBack });
    expect((await stage.submit("k")).status).toBe(500);
    expect(await stage.effects()).toEqual([]);
    expect(await stage.operations()).toEqual([]);
    expect(stage.events).toContainEqual(
      expect.objectContaining({ error: expect.objectContaining({ code: "INVALID_OPTION" }) as unknown }),
    );
  });

  it("is created for every submission without a key", async () => {
    const stage = await createTransactionStage(server, { create: createOrder });
    await Promise.all([stage.submit(), stage.submit()]);
    expect(new Set(await stage.effects()).size).toBe(2);
  });

  it("leaves nothing behind if its creation throws, and is created by the next request", async () => {
    let broken = true;
    const failure = new Error("no room in the warehouse");
    const stage = await createTransactionStage(server, {
      create: async (...all) => {
        const created = await createOrder(...all);
        if (broken) throw failure;
        return created;
      },
    });
    const refused = await stage.submit("k");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect(String(bodyOf(refused).type)).toContain("creation-failed");
    expect([await stage.operations(), await stage.effects()]).toEqual([[], []]);
    const event = { event: "background.failed", step: "create-resource", error: failure };
    expect(stage.events).toContainEqual(event);
    broken = false;
    expect((await stage.submit("k")).status).toBe(201);
    expect(await stage.effects()).toHaveLength(1);
  });

  it("leaves nothing behind if its creation takes too long, and cannot write any more after that", async () => {
    const lateWrite = signalOf<unknown>();
    let tries = 0;
    const stage = await createTransactionStage(server, {
      createTimeoutMs: 100,
      create: async (...all) => {
        tries += 1;
        if (tries > 1) return createOrder(...all);
        const [, { signal, tx, operationId }] = all;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await vi.waitUntil(() => stage.events.some(({ event }) => event === "request.refused"));
        const writing = tx === undefined ? Promise.reject(tx) : stage.write(tx, operationId);
        writing.then(() => lateWrite.resolve("written"), lateWrite.resolve);
        return { body: {} };
      },
    });
    expect((await stage.submit("k")).status).toBe(503);
    expect(await lateWrite.promise).toBeInstanceOf(Error);
    expect([await stage.operations(), await stage.effects()]).toEqual([[], []]);
    expect((await stage.submit("k")).status).toBe(201);
  });

  it("leads to an immediate 409 for a duplicate while it is being created", async () => {
    const [begun, finish] = [signalOf(), signalOf()];
    const stage = await createTransactionStage(server, {
      create: async (...all) => {
        begun.resolve();
        await finish.promise;
        return createOrder(...all);
      },
    });
    const first = stage.submit("k");
    await begun.promise;
    const duplicate = await stage.submit("k");
    expect([duplicate.status, duplicate.headers["retry-after"]]).toEqual([409, "1"]);
    finish.resolve();
    expect((await first).status).toBe(201);
    expect(idOf(await stage.submit("k"))).toBe(idOf(await first));
    expect(await stage.effects()).toEqual([idOf(await first)]);
  });

  it("leads to a 422 if the key belongs to another order", async () => {
    const stage = await createTransactionStage(server, { create: createOrder });
    await stage.submit("k");
    expect((await stage.submit("k", { ...ORDER, quantity: 2 })).status).toBe(422);
    expect(stage.events).toContainEqual(expect.objectContaining({ event: "key.reused" }));
    expect(await stage.effects()).toHaveLength(1);
  });

  it("leads to a failed operation if its creation fails permanently, and nothing is written", async () => {
    let calls = 0;
    const stage = await createTransactionStage(server, {
      create: async (...all) => {
        calls += 1;
        await createOrder(...all);
        throw permanentFailure("No longer made.");
      },
    });
    const reply = await stage.submit("k");
    expect([reply.status, bodyOf(reply), reply.headers["idempotent-replayed"]]).toEqual([
      202,
      { operationId: idOf(reply), status: "failed" },
      undefined,
    ]);
    expect((await stage.read(idOf(reply))).error).toContain("No longer made.");
    const replay = await stage.submit("k");
    expect([replay.status, replay.body, replay.headers["idempotent-replayed"]]).toEqual([
      202,
      reply.body,
      "true",
    ]);
    expect([calls, await stage.effects()]).toEqual([1, []]);
  });

  it.each<[LossAt, number]>([
    ["after the commit", 1],
    ["before the commit", 2],
  ])("is one order if the connection is lost %s and the client retries", async (at, calls) => {
    let called = 0;
    const stage = await createTransactionStage(server, {
      backend: { pool: losingCommit(server.pool, at) },
      create: (...all) => {
        called += 1;
        return createOrder(...all);
      },
    });
    const lost = await stage.submit("k");
    expect([lost.status, lost.headers["retry-after"]]).toEqual([503, "2"]);
    const retried = await stage.submit("k");
    expect(retried.status).toBe(201);
    expect([called, await stage.effects()]).toEqual([calls, [idOf(retried)]]);
  });

  it.each(["a request", "a worker"])(
    "is taken over by %s if another attempt left it unfinished",
    async (who) => {
      const stage = await createTransactionStage(server, { create: createOrder });
      const id = await stage.leaveHalfDone("k");
      if (who === "a request") {
        const taken = vi.waitUntil(async () => {
          const reply = await stage.submit("k");
          return reply.status === 201 && reply;
        });
        expect(idOf(await taken)).toBe(id);
      } else {
        const worker = createWorker(stage.service, { orders: () => "shipped" });
        await vi.waitUntil(async () => {
          await worker.runUntilIdle();
          return (await stage.read(id)).state === "completed";
        });
      }
      expect(await stage.read(id)).toHaveProperty("resource");
      expect(await stage.effects()).toEqual([id]);
    },
  );

  it("stays unfinished and writes nothing if it is taken over and its creation throws", async () => {
    const stage = await createTransactionStage(server, {
      create: async (...all) => {
        await createOrder(...all);
        throw new Error("no room in the warehouse");
      },
    });
    const id = await stage.leaveHalfDone("k");
    const replies: number[] = [];
    await vi.waitUntil(async () => {
      replies.push((await stage.submit("k")).status);
      return replies.at(-1) === 503;
    });
    expect(await stage.read(id)).toMatchObject({ state: "preparing" });
    expect(await stage.effects()).toEqual([]);
  });
});
