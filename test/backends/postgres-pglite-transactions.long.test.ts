import { PGlite } from "@electric-sql/pglite";
import { allowAnonymous, createOrderService, createWorker, type ServiceEvent } from "async-request-reply";
import { createPostgresBackend, fromPGlite, type PGliteTransaction } from "async-request-reply/postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { deepText } from "../support/deep-text.js";

const TENANT = "anonymous";
const ORDER = { itemId: "book", quantity: 1 };
const POST = { method: "POST", path: "/orders", headers: { "content-type": "application/json" } };

describe("transactions on PGlite, which has one connection", () => {
  const database = new PGlite();
  let count = 0;
  // PGlite starts a complete Postgres, which is slow on a small machine.
  beforeAll(() => database.exec("create table effects (operation_id text)"), 60_000);
  afterAll(() => database.close());

  // Not migrated: the first call migrates.
  const open = () =>
    createPostgresBackend({ pool: fromPGlite(database), schema: `test_${++count}`, pollIntervalMs: 60_000 });
  const serviceOn = (backend = open()) => createOrderService({ backend, authorize: allowAnonymous() });
  const write = (tx: PGliteTransaction, operationId: string) =>
    tx.query("insert into effects values ($1)", [operationId]);
  const effectsOf = async (id: string) =>
    (await database.query("select from effects where operation_id = $1", [id])).rows.length;

  it("refuses the database itself as a transaction", async () => {
    const service = serviceOn();
    const submitting = service.submit(service.definitions[0], ORDER, { tx: database, tenant: TENANT });
    await expect(submitting).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail:
        "Option `tx` is the pool or the database itself, whose statements run outside of your transaction. Pass the transaction that " +
        "`database.transaction()` passes to your function.",
    });
  });

  it("submits in a transaction of the user and wakes a worker that completes the operation in another", async () => {
    const backend = open();
    const service = serviceOn(backend);
    const submit = async (end: "commit" | "rollback") => {
      let id = "";
      await database.transaction(async (tx) => {
        const options = { tx, tenant: TENANT, key: "k" };
        id = (await service.submit(service.definitions[0], ORDER, options)).operationId;
        if (end === "rollback") await tx.rollback();
      });
      return id;
    };
    expect(await backend.operations.get(await submit("rollback"), TENANT)).toBeUndefined();
    const worker = createWorker(
      service,
      {
        orders: async (_, job) => {
          const parcel = await job.transaction((tx) => write(tx, job.operationId).then(() => 7));
          return parcel + 1;
        },
      },
      { sweepIntervalMs: 60_000 },
    );
    await worker.start();
    try {
      const id = await submit("commit");
      const read = () => backend.operations.get(id, TENANT);
      await vi.waitUntil(async () => (await read())?.state === "completed");
      expect(await read()).toMatchObject({ attempt: 1, result: "7" });
      expect(await effectsOf(id)).toBe(1);
    } finally {
      await worker.stop();
      await backend.close();
    }
  });

  it("rejects an input that JSON cannot represent, with its path, before it uses the transaction", async () => {
    const service = serviceOn();
    const options = { tx: {} as PGliteTransaction, tenant: TENANT };
    const inputs: readonly (readonly [input: unknown, detail: RegExp])[] = [
      [{ ...ORDER, quantity: 1n }, /^`\$\.quantity` is a bigint, which JSON cannot represent\./],
      [{ ...ORDER, lines: [new Map()] }, /^`\$\.lines\[0\]` is a Map,/],
      [
        { ...ORDER, itemId: "x".repeat(65_536) },
        /^The value takes 65562 bytes as JSON, and `maxBodyBytes` allows 65536\.$/,
      ],
    ];
    for (const [input, detail] of inputs) {
      const submitting = service.submit(service.definitions[0], input as typeof ORDER, options);
      const error = { code: "MALFORMED_BODY", detail: expect.stringMatching(detail) };
      await expect(submitting).rejects.toMatchObject(error);
    }
  });

  it.each([
    ["", "has 0 characters"],
    ["a".repeat(256), "has 256 characters"],
    ["a\0", "contains NUL"],
    ["a\ud800", "contains a lone surrogate"],
    ["a\udc00b", "contains a lone surrogate"],
    [7, "is a number"],
    [undefined, "is undefined"],
  ])("refuses the tenant %j of a submission without a query", async (tenant, says) => {
    const service = serviceOn();
    const query = vi.fn(async () => ({ rows: [] }));
    const tx = { query } as unknown as PGliteTransaction;
    const submitting = service.submit(service.definitions[0], ORDER, { tx, tenant: tenant as string });
    await expect(submitting).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: expect.stringContaining(says),
    });
    expect(query).not.toHaveBeenCalled();
  });

  it("quotes no parameters of a failed statement, although PGlite does", async () => {
    const events: ServiceEvent[] = [];
    const backend = open();
    const service = createOrderService({
      backend,
      authorize: allowAnonymous(),
      observe: (event) => events.push(event),
    });
    expect((await service.handle({ ...POST, body: JSON.stringify(ORDER) })).status).toBe(202);
    await database.exec(`alter table test_${count}.operations add check (coalesce(result, '') = '')`);
    await createWorker(service, { orders: () => "kanarie" }).runUntilIdle();
    expect(events.at(-1)).toMatchObject({ event: "operation.failed" });
    expect(events).toContainEqual(expect.objectContaining({ event: "background.failed", step: "settle" }));
    expect(deepText(events)).not.toContain("kanarie");
  });

  it("creates an order before the reply and rolls back a creation that takes too long", async () => {
    let late: unknown;
    let slow = true;
    const ids: string[] = [];
    const service = createOrderService({
      backend: open(),
      authorize: allowAnonymous(),
      createTimeoutMs: 50,
      create: async (_, { operationId, signal, tx }) => {
        if (tx === undefined) throw new Error("expected a transaction");
        ids.push(operationId);
        await write(tx, operationId);
        if (!slow) return { body: {} };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await new Promise((resolve) => setTimeout(resolve, 50));
        late = await write(tx, operationId).catch((error: unknown) => error);
        return { body: {} };
      },
    });
    const body = JSON.stringify(ORDER);
    expect((await service.handle({ ...POST, body })).status).toBe(503);
    await vi.waitUntil(() => late !== undefined);
    expect(late).toBeInstanceOf(Error);
    slow = false;
    expect((await service.handle({ ...POST, body })).status).toBe(201);
    expect([await effectsOf(ids[0] ?? ""), await effectsOf(ids[1] ?? "")]).toEqual([0, 1]);
  });
});
