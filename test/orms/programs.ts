import { type Block, blocksOf, page } from "../support/pages.js";

/** A module that submits and works as an example of a library does. */
interface Program {
  readonly name: string;
  readonly text: string;
}

/** Imports and tables that the example of a library takes for granted. */
const GIVEN: Readonly<Record<string, string>> = {
  drizzle: `
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { boolean, pgTable, text, uuid } from "drizzle-orm/pg-core";
const carts = pgTable("carts", { id: text("id").primaryKey(), paid: boolean("paid").notNull() });
const shipments = pgTable("shipments", { operationId: uuid("operation_id").primaryKey(), item: text("item").notNull() });`,
  kysely: `
import { Kysely, PostgresDialect } from "kysely";
interface Tables {
  carts: { id: string; paid: boolean };
  shipments: { operation_id: string; item: string };
}`,
  knex: `
import knex from "knex";`,
  typeorm: `
import "reflect-metadata";
import { DataSource, EntitySchema } from "typeorm";
const Cart = new EntitySchema<{ id: string; paid: boolean }>({
  name: "carts",
  columns: { id: { type: String, primary: true }, paid: { type: Boolean } },
});
const Shipment = new EntitySchema<{ operationId: string; item: string }>({
  name: "shipments",
  columns: { operationId: { name: "operation_id", type: "uuid", primary: true }, item: { type: String } },
});`,
  "mikro-orm": `
import { EntitySchema, MikroORM } from "@mikro-orm/postgresql";
const Cart = new EntitySchema<{ id: string; paid: boolean }>({
  name: "Cart",
  tableName: "carts",
  properties: { id: { type: "string", primary: true }, paid: { type: "boolean" } },
});
const Shipment = new EntitySchema<{ operationId: string; item: string }>({
  name: "Shipment",
  tableName: "shipments",
  properties: { operationId: { type: "uuid", primary: true }, item: { type: "string" } },
});`,
  prisma: `
import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "../generated/prisma/client.js";`,
};

/** The comments that divide an example. */
const IN_PROCESSOR = "// In job.transaction(async (tx) => { … }):\n";
const IN_FUNCTION = "// In your own function:\nawait ";

/** The examples of libraries on the page and in this folder, completed to modules with `backend`, `service`, `worker`, `pay`. */
export const programs: readonly Program[] = ["docs/transactions.md", "test/orms/examples.md"]
  .flatMap((path) => blocksOf(page(path), "ts"))
  .filter(({ info }) => info[2] !== undefined)
  .map(toProgram);

function toProgram({ info, text }: Block): Program {
  const name = String(info[2]).replaceAll(/^\[|\.ts\]$/g, "");
  const [setup = "", rest = ""] = text.split(IN_PROCESSOR);
  const [work = "", pay] = rest.split(IN_FUNCTION);
  const given = GIVEN[name];
  const [factory] = /\bfrom\w+(?=\()/.exec(setup) ?? [];
  if (given === undefined || factory === undefined || pay === undefined)
    throw new Error(`The example ${name} has another form than the others.`);
  const program = `
import { bearer, createOrderService, createWorker } from "async-request-reply";
import { createPostgresBackend, ${factory} } from "async-request-reply/postgres";
import { Pool } from "pg";
${given}
const url = process.env.DATABASE_URL as string;
const pool = new Pool({ connectionString: url, max: 20 }).on("error", console.error);
${setup}
export const backend = createPostgresBackend({ pool, transactions });
export const service = createOrderService({ backend, authorize: bearer({ "demo-token": "demo" }) });
const [orders] = service.definitions;
export const worker = createWorker(service, {
  orders: (order, job) =>
    job.transaction(async (tx) => {
      ${work}
      return { shipped: order.itemId };
    }),
});
export const pay = (cart: string, itemId: string) => {
  const order = { itemId, quantity: 1 };
  return ${pay}
};
`;
  return { name, text: program };
}
