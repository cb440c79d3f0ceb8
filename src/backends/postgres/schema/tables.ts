/**
 * One row is an operation, its key and its due work. Times are the database's; `due_at` is the end of the lease where
 * there is a token. What is unfinished has an `announce_at`: the partial indexes over it forget what has ended, so that a
 * million finished operations cost nothing to those who look for work.
 *
 * A row in the state `claimed` only holds a key, for those who use the idempotency store by itself; `claimed_for` is its
 * operation. All keys are in one unique index, whichever way they came. `bound` says that a row holds its key: an operation
 * that was created without RECORD merely knows it.
 */
export function tables(schema: string): string {
  return `
create table ${schema}.operations (
  id uuid primary key,
  scope text collate "C" not null,
  definition text collate "C" not null,
  key text collate "C",
  bound boolean not null default false,
  fingerprint text,
  claimed_for uuid,
  state text not null,
  hidden boolean not null default false,
  attempt integer not null default 0,
  token text,
  previous_lost boolean not null default false,
  cancel_requested boolean not null default false,
  round integer not null default 0,
  due_at timestamptz,
  announce_at timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  retained_from timestamptz,
  forget_at timestamptz,
  input text not null,
  resource text,
  progress text,
  result text,
  error text
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

create unique index operations_key on ${schema}.operations (scope, definition, key) where bound;
create index operations_due on ${schema}.operations (definition, due_at) where announce_at is not null;
create index operations_announce on ${schema}.operations (definition, announce_at) where announce_at is not null;
create index operations_retained on ${schema}.operations (retained_from) where retained_from is not null;
create index operations_forget on ${schema}.operations (forget_at) where forget_at is not null;
create index operations_claimed on ${schema}.operations (due_at) where state = 'claimed';`;
}
