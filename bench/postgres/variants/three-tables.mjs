import { countOf, emptied, prepared } from "./pool.mjs";

/** Tables for keys and operations, and for jobs if the queue does not have its own table. */
export async function createThreeTables(pool) {
  await pool.query(`
    create table keys (
      tenant text collate "C", definition text collate "C", key text collate "C", fingerprint text not null,
      operation_id uuid not null, primary key (tenant, definition, key));
    create table operations (
      id uuid primary key, tenant text collate "C" not null, definition text collate "C" not null, input text not null,
      state text not null default 'pending', created_at timestamptz not null default now(), settled_at timestamptz);
    create table jobs (
      operation_id uuid primary key, definition text collate "C" not null, due_at timestamptz not null default now());
    create index jobs_due on jobs (definition, due_at);`);
}

const insertKey = prepared(
  "insert_key",
  `insert into keys (tenant, definition, key, fingerprint, operation_id) values ($1, $2, $3, $4, $5)
   on conflict do nothing`,
);
const insertOperation = prepared(
  "insert_operation",
  "insert into operations (id, tenant, definition, input) values ($1, $2, $3, $4)",
);
const insertJob = prepared("insert_job", "insert into jobs (operation_id, definition) values ($1, $2)");
const insertAll = prepared(
  "insert_all",
  `with k as (
     insert into keys (tenant, definition, key, fingerprint, operation_id) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning operation_id),
   o as (
     insert into operations (id, tenant, definition, input) select operation_id, $1, $2, $6 from k returning id)
   insert into jobs (operation_id, definition) select id, $2 from o`,
);

/** Records key and operation in the caller's transaction. The caller adds the job. */
export async function recordKeyAndOperation(client, order) {
  const { rowCount } = await client.query(insertKey(keyValues(order)));
  if (rowCount === 1) await client.query(insertOperation(operationValues(order)));
}

export async function recordOperation(client, order) {
  await client.query(insertOperation(operationValues(order)));
}

export async function recordJob(client, { id, definition }) {
  await client.query(insertJob([id, definition]));
}

/** Records key, operation and job in one statement. */
export async function recordAll(client, order) {
  await client.query(insertAll([...keyValues(order), order.input]));
}

const complete = prepared(
  "complete",
  "update operations set state = 'completed', settled_at = now() where id = any ($1) and state = 'pending'",
);

export async function completeOperations(pool, ids) {
  await pool.query(complete([ids]));
}

/** Counts and empties the tables, the same way for every variant that uses them. */
export function threeTableCounts(pool) {
  return {
    empty: () => emptied(pool, "keys", "operations", "jobs"),
    completed: () => countOf(pool, "operations where state = 'completed'"),
    operations: () => countOf(pool, "operations"),
    keys: () => countOf(pool, "keys"),
    jobs: () => countOf(pool, "jobs"),
  };
}

function keyValues({ tenant, definition, key, fingerprint, id }) {
  return [tenant, definition, key, fingerprint, id];
}

function operationValues({ id, tenant, definition, input }) {
  return [id, tenant, definition, input];
}
