import { allowAnonymous, createOrderService, createWorker, type Job, type Order } from "async-request-reply";
import type { Sync } from "async-request-reply/ports";
import { createSqliteBackend, type SqliteBackend } from "async-request-reply/sqlite";
import { eq } from "drizzle-orm";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { Kysely, SqliteDialect } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeClients, type OpenDatabase, type SqliteClient } from "../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../support/sqlite/database-files.js";

const ORDER: Order = { itemId: "book", quantity: 1 };
const TENANT = "anonymous";
const effects = sqliteTable("effects", { id: text("id") });
const rollBack = new Error("roll back");

interface Tables {
  effects: { id: string };
}

describeClients(
  "libraries on SQLite",
  (client: SqliteClient) => {
    let file: DatabaseFile;
    let database: OpenDatabase;
    let db: BetterSQLite3Database;
    let backend: SqliteBackend<OpenDatabase>;
    beforeEach(() => {
      file = newDatabaseFile(client);
      database = file.connect();
      database.exec("create table effects (id text)");
      db = drizzle({ client: database as never });
      backend = createSqliteBackend({ database });
    });
    afterEach(async () => {
      await backend.close();
      await file.remove();
    });

    function serve() {
      const service = createOrderService({ backend, authorize: allowAnonymous(), observe: () => {} });
      return { service, orders: service.definitions[0] };
    }
    const hasEffect = (id: string): boolean =>
      db.select().from(effects).where(eq(effects.id, id)).all().length > 0;
    /** Returns the state of an operation, if it exists, and whether its row does. */
    const outcomeOf = async (id: string) => [
      (await backend.operations.get(id, TENANT))?.state,
      hasEffect(id),
    ];

    /** Submits an order, makes one attempt, which runs `act` in a transaction, and returns its id. */
    async function workInTransaction(act: (id: string, tx: OpenDatabase) => void) {
      const process = (_: Order, job: Job<unknown, Sync<OpenDatabase>>) =>
        job.transaction((tx) => act(job.operationId, tx));
      const { service, orders } = serve();
      const { operationId } = await service.submit(orders, ORDER, { tenant: TENANT });
      await createWorker(service, { orders: process as never }, { maxAttempts: 1 }).runUntilIdle();
      return operationId;
    }

    it("commits a submission together with rows of Drizzle, or neither", async () => {
      const { service, orders } = serve();
      const prepared = await service.prepare(orders, ORDER, { tenant: TENANT, key: "cart-1" });
      let id = "";
      const rolledBack = () =>
        db.transaction((tx) => {
          id = prepared.record(database).operationId;
          tx.insert(effects).values({ id }).run();
          throw rollBack;
        });
      expect(rolledBack).toThrow(rollBack);
      expect(await outcomeOf(id)).toEqual([undefined, false]);
      db.transaction(
        (tx) => {
          tx.insert(effects).values({ id }).run();
          prepared.record(database);
        },
        { behavior: "immediate" },
      );
      expect(await outcomeOf(id)).toEqual(["pending", true]);
    });

    it("completes an operation together with rows of Drizzle, or neither", async () => {
      const done = await workInTransaction((id) => {
        db.insert(effects).values({ id }).run();
      });
      const undone = await workInTransaction((id) => {
        db.insert(effects).values({ id }).run();
        throw rollBack;
      });
      expect(await outcomeOf(done)).toEqual(["completed", true]);
      expect(await outcomeOf(undone)).toEqual(["failed", false]);
    });

    it.skipIf(client.name === "libsql")(
      "makes a savepoint of a transaction of Drizzle in a job",
      async () => {
        const id = await workInTransaction((operationId) => {
          db.insert(effects).values({ id: operationId }).run();
          const inner = () =>
            db.transaction((tx) => {
              tx.insert(effects).values({ id: "inner" }).run();
              throw rollBack;
            });
          expect(inner).toThrow(rollBack);
        });
        expect([...(await outcomeOf(id)), hasEffect("inner")]).toEqual(["completed", true, false]);
      },
    );

    it("commits a submission together with rows of Kysely on its own connection, or neither", async () => {
      const own = file.connect();
      const kysely = new Kysely<Tables>({ dialect: new SqliteDialect({ database: own as never }) });
      const { service, orders } = serve();
      const prepared = await service.prepare(orders, ORDER, { tenant: TENANT });
      let id = "";
      const write = (end: () => void) =>
        kysely.transaction().execute(async (tx) => {
          id = prepared.record(own).operationId;
          await tx.insertInto("effects").values({ id }).execute();
          end();
        });
      const rolledBack = write(() => {
        throw rollBack;
      });
      await expect(rolledBack).rejects.toBe(rollBack);
      expect(await outcomeOf(id)).toEqual([undefined, false]);
      await write(() => {});
      expect(await outcomeOf(id)).toEqual(["pending", true]);
    });

    it("runs a compiled query of Kysely in a job", async () => {
      const kysely = new Kysely<Tables>({
        dialect: new SqliteDialect({ database: file.connect() as never }),
      });
      const id = await workInTransaction((operationId, tx) => {
        const { sql, parameters } = kysely.insertInto("effects").values({ id: operationId }).compile();
        tx.prepare(sql).run(...(parameters as never[]));
      });
      expect(await outcomeOf(id)).toEqual(["completed", true]);
    });
  },
  ["better-sqlite3", "libsql"],
);
