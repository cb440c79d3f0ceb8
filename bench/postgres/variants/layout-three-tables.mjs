import { openLayout } from "./layout.mjs";
import { prepared } from "./pool.mjs";

/** The product's columns, divided among three tables. Work is unfinished as long as it has a job. */
const TABLES = `
  create table keys (
    tenant text collate "C", definition text collate "C", key text collate "C", fingerprint text not null,
    operation_id uuid not null, primary key (tenant, definition, key));
  create table operations (
    id uuid primary key, tenant text collate "C" not null, definition text collate "C" not null,
    key text collate "C", state text not null, hidden boolean not null default false,
    attempt integer not null default 0, created_at timestamptz not null, settled_at timestamptz,
    retained_from timestamptz, input text not null, resource text, progress text, result text, error text);
  create index operations_retained on operations (retained_from) where retained_from is not null;
  create table jobs (
    operation_id uuid primary key, definition text collate "C" not null, attempt integer not null default 0,
    token text, previous_lost boolean not null default false, cancel_requested boolean not null default false,
    round integer not null default 0, due_at timestamptz not null, announce_at timestamptz not null);
  create index jobs_due on jobs (definition, due_at);
  create index jobs_announce on jobs (definition, announce_at);`;

const record = prepared(
  "record",
  `with n as (
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       as n (id, tenant, definition, key, fingerprint, input) order by tenant, definition, key),
   k as (
     insert into keys (tenant, definition, key, fingerprint, operation_id)
     select tenant, definition, key, fingerprint, id from n on conflict do nothing returning operation_id),
   o as (
     insert into operations (id, tenant, definition, key, state, created_at, input)
     select id, tenant, definition, key, 'pending', now(), input from n join k on k.operation_id = n.id
     returning id, definition)
   insert into jobs (operation_id, definition, due_at, announce_at)
   select id, definition, now(), now() + interval '30 s' from o`,
);
const claim = prepared(
  "claim",
  `with due as (
     select operation_id from jobs where definition = $1 and due_at <= now()
     order by due_at limit $2 for update skip locked),
   begun as (
     update jobs set attempt = attempt + 1, token = $3, due_at = now() + interval '30 s',
       announce_at = now() + interval '30 s' from due where jobs.operation_id = due.operation_id
     returning jobs.operation_id)
   select id, input from operations join begun on id = operation_id`,
);
const complete = prepared(
  "complete",
  `with done as (
     delete from jobs using unnest($1::uuid[]) as n (id) where operation_id = n.id and token = $2
     returning operation_id, attempt)
   update operations set state = 'completed', attempt = done.attempt, settled_at = now(), retained_from = now()
   from done where id = operation_id`,
);
const purge = prepared(
  "purge",
  `with old as (select id from operations where retained_from <= now() order by retained_from limit $1),
   gone as (delete from operations o using old where o.id = old.id returning o.tenant, o.definition, o.key),
   released as (delete from keys k using gone g
     where k.tenant = g.tenant and k.definition = g.definition and k.key = g.key returning 1)
   select from gone`,
);

/** Key, operation and job in three tables, recorded in one statement. */
export function open(options) {
  return openLayout(options, {
    tables: ["keys", "operations", "jobs"],
    create: (pool) => pool.query(TABLES),
    fill: (id, at, rows) => `
      with n as materialized (
        select ${id} as id, gen_random_uuid()::text as key, ${at} as at from generate_series(1, ${rows}) as i),
      k as (
        insert into keys (tenant, definition, key, fingerprint, operation_id) select $1, $2, key, $3, id from n)
      insert into operations (id, tenant, definition, key, state, attempt, created_at, settled_at, retained_from, input)
      select id, $1, $2, key, 'completed', 1, at, at, at, $4 from n`,
    due: "jobs",
    statements: { record, claim, complete, purge },
  });
}
