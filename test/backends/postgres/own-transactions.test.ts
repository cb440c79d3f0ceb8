import { allowAnonymous, createOrderService } from "async-request-reply";
import { createPostgresBackend, type SqlTransactions } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { expect, it } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { untyped } from "../../support/untyped.js";

/** A transaction of a library that hides its client. */
class Transaction {
  readonly #client: PoolClient;
  constructor(client: PoolClient) {
    this.#client = client;
  }
  run(text: string, values?: unknown[]): Promise<{ readonly rows: Record<string, unknown>[] }> {
    return this.#client.query(text, values);
  }
}

/** The two functions that a library needs, as methods of a class. */
class OwnTransactions implements SqlTransactions<Transaction> {
  readonly #pool: Pool;
  constructor(pool: Pool) {
    this.#pool = pool;
  }
  async begin<Result>(run: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    try {
      await client.query("begin");
      const result = await run(new Transaction(client));
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  }
  query(tx: Transaction, { text, values }: { readonly text: string; readonly values?: unknown[] }) {
    return tx.run(text, values);
  }
}

await describePostgres("transactions of a library of your own", (server) => {
  const order = { itemId: "book", quantity: 1 };

  it("carry a submission with two functions", async () => {
    const transactions = new OwnTransactions(server.pool);
    const schema = server.newSchema();
    const backend = createPostgresBackend({ pool: server.pool, transactions, schema });
    const service = createOrderService({ backend, authorize: allowAnonymous() });
    const [orders] = service.definitions;
    const submit = (tx: Transaction) => service.submit(orders, order, { tenant: "demo", tx });
    try {
      const kept = await transactions.begin(submit);
      let undone = "";
      const rolledBack = transactions.begin(async (tx) => {
        undone = (await submit(tx)).operationId;
        throw new Error("roll back");
      });
      await expect(rolledBack).rejects.toThrow("roll back");
      const ids = [kept.operationId, undone];
      const found = await Promise.all(ids.map((id) => backend.operations.get(id, "demo")));
      expect(found.map((operation) => operation?.state)).toEqual(["pending", undefined]);
      const ended = await transactions.begin(async (tx) => tx);
      await expect(submit(ended)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    } finally {
      await backend.close();
    }
  });

  it.each([
    ["a function", () => {}],
    ["an object without functions", {}],
    ["null", null],
  ])("are refused with a sentence if they are %s", (_, transactions) => {
    expect(() => untyped.createPostgresBackend({ pool: server.pool, transactions })).toThrow(
      "Option `transactions` must be the transactions of a library, such as the result of `fromDrizzle(db)`",
    );
  });

  it("add one listener to a pool, however many back ends use it", () => {
    const transactions = new OwnTransactions(server.pool);
    const before = server.pool.listenerCount("acquire");
    for (let count = 0; count < 20; count += 1) createPostgresBackend({ pool: server.pool, transactions });
    expect(server.pool.listenerCount("acquire")).toBeLessThanOrEqual(before + 1);
  });
});
