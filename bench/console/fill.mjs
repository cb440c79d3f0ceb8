import { defineOperation } from "../../dist/index.js";
import { input } from "../answer-schemas.mjs";

export const OPERATIONS = 1_000_000;
const DEFINITIONS = ["orders", "invoices", "reports", "exports", "mails"];

export const definitions = DEFINITIONS.map((name) => defineOperation({ name, path: `/${name}`, input }));

const definitionOf = (n) => `('{${DEFINITIONS.join(",")}}'::text[])[${n} % ${DEFINITIONS.length} + 1]`;

const MINUTE_MS = 60_000;
const WEEK_MINUTES = 10_080;
const NOTHING = { cancelled: 0, retried: 0, lost: 0, refused: 0 };
const TIMES = { waiting: { 4: 40, 6: 19 }, running: { 10: 50, 14: 9 }, total: { 11: 50, 15: 9 } };

/** Operations that have ended, a fiftieth of them failed with one of 20 messages; some that are due; and the counts of a week. */
export async function fill(pool, { minutes }) {
  const schema = "async_request_reply";
  const error = `json_build_object('type', 'about:blank', 'title', 'The work failed', 'detail', 'Reason ' || chr(65 + n % 20) || ' of ' || n)`;
  await pool.query(`
    insert into ${schema}.operations (id, tenant, definition, state, input, retention_ms, created_at, settled_at, expires_at, error)
      select lpad(to_hex(n), 32, '0')::uuid, 't' || n % 100, ${definitionOf("n")},
        case when n % 50 = 0 then 'failed' else 'completed' end, '{}', 600000000, at, at, at + interval '7 days',
        case when n % 50 = 0 then ${error}::text end
      from generate_series(1, ${OPERATIONS}) n, lateral (select now() - (${OPERATIONS} - n) * interval '600 ms' as at) times;
    insert into ${schema}.operations (id, tenant, definition, state, input, retention_ms, created_at, due_at)
      select gen_random_uuid(), 't' || n % 100, ${definitionOf("n")}, 'pending', '{}', 60000, now(), now() - n * interval '1 s'
      from generate_series(1, 5000) n;`);
  const last = Math.floor(Date.now() / MINUTE_MS);
  for (let minute = last - WEEK_MINUTES; minute <= last; minute += 1)
    await minutes.write(
      DEFINITIONS.map((definition) => ({
        ...{ process: "bench", minute: minute * MINUTE_MS, definition, served: true },
        ...{ accepted: 60, started: 60, completed: 59, failed: 1 },
        ...NOTHING,
        ...TIMES,
      })),
    );
  await pool.query(`vacuum analyze ${schema}.operations, ${schema}.minutes`);
}
