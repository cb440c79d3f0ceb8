import {
  allowAnonymous,
  type CreateContext,
  type CreatedResource,
  createOrderService,
  createWorker,
  type HttpResponse,
  type Order,
  type OrderDefinition,
  type Processors,
  type Service,
  type ServiceEvent,
  type WorkerOptions,
} from "async-request-reply";
import type { Operation, SettingsOptions } from "async-request-reply/ports";
import type { PostgresBackend, PostgresBackendOptions } from "async-request-reply/postgres";
import type { PoolClient } from "pg";
import { inside } from "../../support/inside.js";
import type { Server } from "../../support/postgres/server.js";
import { newSubmission } from "./submissions.js";

type OrderService = Service<readonly [OrderDefinition], PoolClient>;

/** A processor of orders, whose job has the transactions of the tests' database. */
export type OrderProcessor = NonNullable<Processors<readonly [OrderDefinition], PoolClient>["orders"]>;

/** An order service on Postgres. Each order has an effect: a row without a unique constraint, so duplicates show. */
export interface TransactionStage {
  readonly backend: PostgresBackend<PoolClient>;
  readonly schema: string;
  readonly service: OrderService;
  readonly events: ServiceEvent[];
  /** Writes the effect of an operation. */
  write(tx: Pick<PoolClient, "query">, operationId: string): Promise<void>;
  /** Returns the operations whose effects exist. */
  effects(): Promise<readonly string[]>;
  submit(key?: string, order?: unknown): Promise<HttpResponse>;
  /** Submits an order and returns the id of its operation. */
  submitted(): Promise<string>;
  /** Leaves a submission in the state of a process that dies while it creates the resource. Returns its id. */
  leaveHalfDone(key: string): Promise<string>;
  /** Does the work that is due. */
  work(orders: OrderProcessor, options?: WorkerOptions): Promise<unknown>;
  operations(): Promise<readonly Operation[]>;
  read(id: string): Promise<Operation>;
  /** Returns the names of the events about started or ended attempts. */
  attempts(): readonly string[];
}

export interface StageOptions extends Partial<Omit<SettingsOptions, "authorize">> {
  readonly backend?: Partial<PostgresBackendOptions<PoolClient>>;
  readonly create?: (
    order: Order,
    context: CreateContext<PoolClient>,
    stage: TransactionStage,
  ) => CreatedResource | Promise<CreatedResource>;
}

/** Tenant of `allowAnonymous`. */
export const TENANT = "anonymous";
export const ORDER: Order = { itemId: "book", quantity: 1 };

export async function createTransactionStage(
  server: Server,
  { backend: given = {}, create, ...settings }: StageOptions = {},
): Promise<TransactionStage> {
  const { schema, ...backend } = server.open(given);
  await backend.migrate();
  await server.pool.query(`create table if not exists "${schema}".effects (operation_id uuid)`);
  const events: ServiceEvent[] = [];
  const service = createOrderService<PoolClient>({
    backend,
    authorize: allowAnonymous(),
    observe: (event) => events.push(event),
    ...settings,
    ...(create === undefined ? {} : { create: (order, context) => create(order, context, stage) }),
  });
  const operations = async () => {
    const listed = await backend.operations.list({ internal: true, limit: 1_000 });
    return await backend.operations.getMany(listed.map(({ id }) => id));
  };
  const stage: TransactionStage = {
    backend,
    schema,
    service,
    events,
    write: async (tx, operationId) =>
      void (await tx.query(`insert into "${schema}".effects values ($1)`, [operationId])),
    effects: async () =>
      (await server.pool.query(`select operation_id from "${schema}".effects`)).rows.map(({ operation_id }) =>
        String(operation_id),
      ),
    submit: (key, order = ORDER) => {
      const headers = {
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key }),
      };
      return service.handle({ method: "POST", path: "/orders", headers, body: JSON.stringify(order) });
    },
    submitted: async () => idOf(await stage.submit()),
    leaveHalfDone: async (key) => {
      const input = JSON.stringify(ORDER);
      const submission = newSubmission({ tenant: TENANT, key, input });
      const fingerprint = `1:${await inside(service).runtime.hash(input)}`;
      const initial = { state: "preparing", token: "dead", leaseMs: 1 } as const;
      await backend.submissions.record({ ...submission, fingerprint, initial });
      return submission.operation.id;
    },
    work: (orders, options) => createWorker(service, { orders }, options).runUntilIdle(),
    operations,
    read: async (id) => {
      const operation = await backend.operations.get(id, TENANT);
      if (operation === undefined) throw new Error(`Operation ${id} does not exist.`);
      return operation;
    },
    attempts: () => events.map(({ event }) => event).filter((event) => /^attempt|started|ed$/.test(event)),
  };
  return stage;
}

/** Returns the operation id in a reply. */
export function idOf({ headers }: HttpResponse): string {
  return String(headers["operation-location"] ?? headers.location).slice("/operations/".length);
}

export function bodyOf({ body }: HttpResponse): { readonly [member: string]: unknown } {
  return JSON.parse(String(body));
}
