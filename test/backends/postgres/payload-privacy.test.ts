import { inspect } from "node:util";
import {
  allowAnonymous,
  createOrderService,
  createWorker,
  logEvents,
  type ServiceEvent,
} from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import type { PoolClient } from "pg";
import { expect, it } from "vitest";
import { deepText } from "../../support/deep-text.js";
import { describePostgres, type Server } from "../../support/postgres/server.js";
import { openTestPool } from "./test-pool.js";
import { inTransaction } from "./user-transaction.js";

/** Stands for private data of a client. */
const CANARY = "kanarie";
const ORDER = { itemId: CANARY, quantity: 1 };

/** Ways in which the database refuses a row. All of them quote the row in some field. */
const refusals: Readonly<Record<string, (schema: string) => string>> = {
  "a check constraint": (schema) =>
    `alter table ${schema}.operations add constraint secret_free
     check (coalesce(input, '') || coalesce(result, '') || coalesce(progress, '') || coalesce(resource, '') not like '%${CANARY}%')`,
  "a trigger that quotes the data": (schema) => trigger(schema, "22000", "new.input || new.result"),
  "a trigger that fails for another reason": (schema) => trigger(schema, "55000", "'not now'"),
};

function trigger(schema: string, code: string, message: string) {
  return `
    create function ${schema}.refuse() returns trigger language plpgsql as $$ begin
      if new::text like '%${CANARY}%' then
        raise exception using errcode = '${code}', message = coalesce(${message}, new::text),
          detail = new::text, hint = new::text;
      end if;
      return new;
    end $$;
    create trigger refuse before insert or update on ${schema}.operations
      for each row execute function ${schema}.refuse()`;
}

await describePostgres("an error of the database", (server) => {
  it.each(Object.entries(refusals))("quotes no value that %s refuses", async (_, refuse) => {
    const stage = await createStage(server);
    await server.pool.query(refuse(stage.schema));
    const replies = [];
    for (const key of [undefined, "k", "k"]) replies.push(await stage.submit(ORDER, key));
    expect(replies.map(({ status }) => status >= 500)).toEqual([true, true, true]);
    expect(deepText(replies) + stage.seen()).not.toContain(CANARY);
  });

  it.each(Object.entries(refusals))(
    "quotes nothing when it rejects a submission in a transaction: %s",
    async (_, refuse) => {
      const stage = await createStage(server);
      await server.pool.query(refuse(stage.schema));
      await inTransaction(server.pool, async (tx) => {
        const options = { tx, tenant: "anonymous", key: "k" };
        const submitting = stage.service.submit(stage.service.definitions[0], ORDER, options);
        const error: unknown = await submitting.catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ name: "AsyncReplyError" });
        expect(deepText(error)).not.toContain(CANARY);
      });
    },
  );

  // After other failures, the settle is repeated until it succeeds.
  it.each(Object.entries(refusals).slice(0, 2))(
    "quotes no result, progress or resource that %s refuses",
    async (_, refuse) => {
      const stage = await createStage(server);
      const book = { itemId: "book", quantity: 1 };
      for (const key of ["result", "progress", "transaction"]) await stage.submit(book, key);
      await server.pool.query(refuse(stage.schema));
      const rejections: unknown[] = [];
      const worker = createWorker(
        stage.service,
        {
          orders: async (_order, job) => {
            const kind = ["result", "progress", "transaction"][stage.runs++ % 3];
            if (kind === "result") return CANARY;
            if (kind === "progress") return job.progress(CANARY);
            await job.transaction(async () => CANARY).catch((error: unknown) => rejections.push(error));
            return undefined;
          },
        },
        { maxAttempts: 1, concurrency: 1 },
      );
      await worker.runUntilIdle();
      expect(stage.runs).toBeGreaterThanOrEqual(3);
      expect(rejections).toHaveLength(1);
      expect(deepText(rejections) + stage.seen()).not.toContain(CANARY);
      const created = await stage.submit(book, undefined, stage.creating);
      expect(created.status).toBeGreaterThanOrEqual(500);
      expect(deepText(created) + stage.seen()).not.toContain(CANARY);
    },
  );

  it("keeps the fields that operators need: code, severity, constraint, table, schema and routine", async () => {
    const stage = await createStage(server);
    await server.pool.query(refusals["a check constraint"]?.(stage.schema) ?? "");
    await stage.submit({ itemId: "book", quantity: 1 });
    await createWorker(stage.service, { orders: () => CANARY }).runUntilIdle();
    expect(stage.events).toContainEqual(
      expect.objectContaining({
        event: "background.failed",
        step: "settle",
        error: expect.objectContaining({
          code: "INTERNAL",
          cause: expect.objectContaining({
            name: "DatabaseError",
            code: "23514",
            severity: "ERROR",
            constraint: "secret_free",
            table: "operations",
            schema: stage.schema.replaceAll('"', ""),
            routine: "ExecConstraints",
          }),
        }),
      }),
    );
  });

  it("keeps its message if the database quotes no data, or cannot be reached", async () => {
    const stage = await createStage(server);
    await server.pool.query(`drop table ${stage.schema}.operations cascade`);
    await stage.submit(ORDER);
    const pool = openTestPool({ connectionString: "postgres://127.0.0.1:1/x" });
    await stage.submit(ORDER, undefined, stage.serviceOn(createPostgresBackend({ pool })));
    const causes = stage.events.map((event) => (event as { readonly error?: Error }).error?.cause);
    expect(causes).toMatchObject([
      { code: expect.stringMatching(/^42/), message: expect.stringContaining("does not exist") },
      { code: "ECONNREFUSED", message: expect.stringContaining("ECONNREFUSED 127.0.0.1:1") },
    ]);
  });
});

async function createStage(server: Server) {
  const { schema, ...backend } = server.openOwn();
  await backend.migrate();
  const events: ServiceEvent[] = [];
  const lines: string[] = [];
  const log = (fields: object, message: string) =>
    void lines.push(message, inspect(fields, { depth: null, showHidden: true }), JSON.stringify(fields));
  const logged = logEvents({ info: log, warn: log, error: log });
  const observe = (event: ServiceEvent) => {
    events.push(event);
    logged(event);
  };
  const authorize = allowAnonymous();
  const serviceOn = (by: typeof backend) =>
    createOrderService<PoolClient>({ backend: by, authorize, observe });
  const service = serviceOn(backend);
  const submit = (order: unknown, key?: string, { handle } = service) => {
    const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) };
    return handle({ method: "POST", path: "/orders", headers, body: JSON.stringify(order) });
  };
  const create = () => ({ body: { secret: CANARY } });
  return {
    schema,
    service,
    serviceOn,
    creating: createOrderService({ backend, authorize, observe, create }),
    events,
    submit,
    runs: 0,
    seen: () => `${deepText(events)}\n${lines.join("\n")}`,
  };
}
