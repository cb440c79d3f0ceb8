import { createPostgresBackend } from "../../../dist/postgres.js";
import { openLayout } from "./layout.mjs";
import { prepared } from "./pool.mjs";

const record = prepared(
  "record",
  `insert into work (id, tenant, definition, key, bound, fingerprint, input, state, due_at, announce_at, created_at,
     retention_ms)
   select n.*, 'pending', now(), now() + interval '30 s', now(), 86400000
   from (select id, tenant, definition, key, true, fingerprint, input
     from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       as n (id, tenant, definition, key, fingerprint, input)
     order by tenant, definition, key) as n
   on conflict do nothing`,
);
const claim = prepared(
  "claim",
  `with due as (
     select id from work where definition = $1 and announce_at is not null and due_at <= now()
     order by due_at limit $2 for update skip locked)
   update work set attempt = attempt + 1, token = $3, due_at = now() + interval '30 s',
     announce_at = now() + interval '30 s' from due where work.id = due.id
   returning work.id, work.input`,
);
const complete = prepared(
  "complete",
  `update work set state = 'completed', settled_at = now(), expires_at = now(), due_at = null, announce_at = null
   from unnest($1::uuid[]) as done (id) where work.id = done.id and work.token = $2 and work.state = 'pending'`,
);
const purge = prepared(
  "purge",
  `delete from work using (select id from work where expires_at <= now() order by expires_at limit $1) as old
   where work.id = old.id`,
);

/** The product's table with handwritten statements. One row is the operation, its key and its due work. */
export function open(options) {
  return openLayout(options, {
    tables: ["work"],
    create: async (pool) => {
      await createPostgresBackend({ pool, schema: "shape" }).migrate();
      await pool.query("create table work (like shape.operations including all)");
    },
    fill: (id, at, rows) => `
      insert into work (id, tenant, definition, key, bound, fingerprint, input, state, attempt, token, created_at, settled_at,
        expires_at, retention_ms)
      select ${id}, $1, $2, gen_random_uuid()::text, true, $3, $4, 'completed', 1, gen_random_uuid()::text, ${at}, ${at}, ${at}, 0
      from generate_series(1, ${rows}) as i`,
    due: "work where announce_at is not null",
    statements: { record, claim, complete, purge },
  });
}
