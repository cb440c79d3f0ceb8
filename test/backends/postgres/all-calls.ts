import type { ListRequest } from "async-request-reply/ports";
import type { PostgresBackend } from "async-request-reply/postgres";
import type { PoolClient } from "pg";
import { createSystemRuntime } from "../../../src/platform/system-runtime.js";
import { claimOnce, claimOne } from "../../support/claims.js";

const { newId, newToken } = createSystemRuntime();

/** Definitions of all operations. */
export const DEFINITIONS: readonly string[] = ["orders", "reports"];

type Call = (backend: PostgresBackend<PoolClient>) => Promise<unknown>;

async function begun({ operations }: PostgresBackend<PoolClient>) {
  const operation = { id: newId(), tenant: "a", definition: "quiet", input: "1", retentionMs: 60_000 };
  await operations.create(operation);
  const lease = { operationId: operation.id, token: newToken() };
  await claimOne(operations, operation.id, { ...lease, leaseMs: 60_000 });
  return { operation, lease };
}

const known = { tenant: "s1", definition: "orders", key: "k1", fingerprint: "1:a" };

/** Lists the first page, and the next one if there is one. */
export async function listTwoPages(
  { operations }: PostgresBackend<PoolClient>,
  filter: Omit<ListRequest, "limit" | "after">,
): Promise<void> {
  const after = (await operations.list({ ...filter, limit: 10 })).at(-1);
  if (after !== undefined) await operations.list({ ...filter, limit: 10, after });
}

/** Every call of a back end, by name. */
export const calls: Readonly<Record<string, Call>> = {
  "record of a new key": ({ submissions }) =>
    submissions.record({
      operation: {
        id: newId(),
        tenant: "a",
        definition: "orders",
        key: newToken(),
        input: "1",
        retentionMs: 60_000,
      },
      fingerprint: "1:a",
    }),
  "records of 20 keys, new and known, at the same time": ({ submissions }) =>
    Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const key = index % 2 === 0 ? newToken() : known.key;
        return submissions.record({
          operation: { ...known, id: newId(), key, input: "1", retentionMs: 60_000 },
          fingerprint: "1:a",
        });
      }),
    ),
  "record of a known key": ({ submissions }) =>
    submissions.record({
      operation: { id: newId(), input: "1", retentionMs: 60_000, ...known },
      fingerprint: "1:a",
    }),
  "findKey of a known key and of a new one": async ({ submissions }) => {
    await submissions.findKey(known);
    await submissions.findKey({ ...known, key: newToken() });
  },
  "create, begin, renew, settle, and get": async (backend) => {
    const { operation, lease } = await begun(backend);
    await backend.operations.renew(lease, { leaseMs: 60_000 });
    await backend.operations.settle(lease, { to: "completed" });
    await backend.operations.get(operation.id, "a");
  },
  requestCancel: async (backend) => {
    const { operation } = await begun(backend);
    await backend.operations.requestCancel(operation.id, "a");
  },
  claim: (backend) => claimOnce(backend, { definitions: DEFINITIONS }),
  endOverdue: ({ operations }) => operations.endOverdue({ limit: 10 }),
  purge: ({ submissions }) => submissions.purge({ limit: 10 }),
  "counts of pending operations, of all tenants and of one": ({ operations }) =>
    operations.countPending([
      { definition: "orders", most: 50 },
      { definition: "reports", tenant: "s1", most: 50 },
    ]),
  getMany: ({ operations }) => operations.getMany([newId(), newId()]),
  "lists of failed operations, all, by definition and by tenant": async (backend) => {
    await listTwoPages(backend, { state: "failed" });
    await listTwoPages(backend, { state: "failed", definition: "orders" });
    await listTwoPages(backend, { state: "failed", tenant: "s1" });
  },
  "a redrive, again, and of others": async ({ operations }) => {
    const id = newId();
    await operations.create({ ...known, id, input: "1", retentionMs: 60_000 });
    await operations.requestCancel(id, known.tenant);
    const successor = { id: newId(), onEndId: newId() };
    await operations.redrive(id, successor);
    await operations.redrive(id, successor);
    await operations.redrive(newId(), successor);
  },
};

/** Calls everything often enough that Postgres stops making custom plans. */
export async function callAll(backend: PostgresBackend<PoolClient>): Promise<void> {
  for (const call of Object.values(calls)) for (let time = 0; time < 10; time += 1) await call(backend);
}
