import type { ListRequest } from "async-request-reply/ports";
import type { PostgresBackend } from "async-request-reply/postgres";
import type { PoolClient } from "pg";
import { newAction } from "../../../src/testing/suites/actions-store/fixtures.js";
import { newRow } from "../../../src/testing/suites/minutes-store/fixtures.js";
import { claimOnce } from "../../support/claims.js";
import { begun, newId, newOperation, newSubmission, newToken } from "./submissions.js";

/** Definitions of all operations. */
export const DEFINITIONS: readonly string[] = ["orders", "reports"];

type Call = (backend: PostgresBackend<PoolClient>) => Promise<unknown>;

/** Work of a definition that no call claims. */
const quiet = { definition: "quiet" };
const known = { tenant: "s1", definition: "orders", key: "k1" };

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
  "record of a new key": ({ submissions }) => submissions.record(newSubmission({ key: newToken() })),
  "records of 20 keys, new and known, at the same time": ({ submissions }) =>
    Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const key = index % 2 === 0 ? newToken() : known.key;
        return submissions.record(newSubmission({ ...known, key }));
      }),
    ),
  "record of a known key": ({ submissions }) => submissions.record(newSubmission(known)),
  "findKey of a known key and of a new one": async ({ submissions }) => {
    await submissions.findKey(known);
    await submissions.findKey({ ...known, key: newToken() });
  },
  "create, begin, renew, settle, and get": async (backend) => {
    const lease = await begun(backend, quiet);
    await backend.operations.renew(lease, { leaseMs: 60_000 });
    await backend.operations.settle(lease, { to: "completed" });
    await backend.operations.get(lease.operationId, "a");
  },
  "appends and reads of output": async (backend) => {
    const lease = await begun(backend, quiet);
    await backend.output.begun(lease);
    const checkpoint = { value: "1", number: 1 };
    for (const from of [0, 1])
      await backend.output.append([{ lease, from, chunks: ["1"], bytes: 1, checkpoint }]);
    await backend.output.read([{ id: lease.operationId, maxLength: 100 }]);
    await backend.output.clean({ limit: 10 });
    await backend.operations.settle(lease, { to: "failed", error: "{}" });
    const successor = { id: newId(), onEndId: newId(), keepCheckpoint: true };
    await backend.operations.redrive(lease.operationId, successor);
  },
  "writes, folds and reads of minutes": async ({ minutes }) => {
    const now = Date.now();
    const minute = now - (now % 60_000);
    await minutes.write(DEFINITIONS.map((definition) => newRow(minute, { definition, total: { 1: 1 } })));
    await minutes.fold({ limit: 10 });
    await minutes.read({ definitions: DEFINITIONS, from: minute, to: minute + 60_000, stepMs: 60_000 });
  },
  "records, lists and purges of actions": async ({ actions }) => {
    const about = { definition: "orders", operationId: newId() };
    await actions.record(newAction(about));
    const range = { from: Date.now() - 60_000, to: Date.now() + 60_000, limit: 10 };
    for (const filter of [{}, about, { definition: "orders" }]) await actions.list({ ...filter, ...range });
    await actions.purge({ limit: 10 });
  },
  requestCancel: async (backend) => {
    const { operationId } = await begun(backend, quiet);
    await backend.operations.requestCancel(operationId, "a");
  },
  claim: (backend) => claimOnce(backend, { definitions: DEFINITIONS }),
  endOverdue: ({ operations }) => operations.endOverdue({ limit: 10 }),
  purge: ({ submissions }) => submissions.purge({ limit: 10 }),
  "counts of pending operations, of all tenants and of one": ({ operations }) =>
    operations.countPending([
      { definition: "orders", most: 50 },
      { definition: "reports", tenant: "s1", most: 50 },
    ]),
  inspect: ({ operations }) => operations.inspect?.({ id: newId(), places: true }),
  getMany: ({ operations }) => operations.getMany([newId(), newId()]),
  "lists of failed operations, all, by definition and by tenant": async (backend) => {
    await listTwoPages(backend, { state: "failed" });
    await listTwoPages(backend, { state: "failed", definition: "orders" });
    await listTwoPages(backend, { state: "failed", tenant: "s1" });
  },
  "a redrive, again, and of others": async ({ operations }) => {
    const operation = newOperation(known);
    const { id } = operation;
    await operations.create(operation);
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
