import { expect } from "vitest";
import type { Server } from "../../support/postgres/server.js";
import { type Planted, type Play, playOn } from "../../testing/pinned-seeds.js";
import { openSimulatedSchema } from "./simulated-schema.js";

interface Change {
  /** SQL function to change. */
  readonly of: string;
  /** Part of its text. */
  readonly replace: string;
  /** Replacement for that part. */
  readonly by: string;
}

/** A mistake in the SQL functions of a server. */
interface Mutant extends Change, Planted {
  /** Another change. Without it, another function keeps the promise. */
  readonly also?: Change;
}

const STANDS_STILL = /I27: .* has waited for \d+ ms/;

/** Servers with one mistake each. */
export const postgresMutants: Readonly<Record<string, Mutant>> = {
  "a settlement is not guarded by its token": {
    of: "settle_v1",
    replace: "and o.token = item.token",
    by: "",
    violation: /I6: .* was settled with a stale token/,
  },
  "a renewal is not guarded by its token": {
    of: "renew_v1",
    replace: "and o.token = item.token",
    by: "",
    violation: /I6: .* was renewed with a stale token/,
  },
  "a claim ignores live leases": {
    of: "claim_v1",
    replace: "and o.due_at >= earliest and o.due_at <= at\n            and (o.cancel_requested",
    by: "and (o.cancel_requested",
    violation: /I2: |I7: .* has two live leases/,
  },
  "a claim does not count its attempt": {
    of: "claim_v1",
    replace: "attempt = o.attempt + 1",
    by: "attempt = o.attempt",
    violation: /I2: .* began as attempt/,
  },
  "an operation that waits for a retry does not hold up its lane": {
    of: "lane_v1",
    replace: "and o.lane is not null and o.state = 'pending' and o.urgency <> 8",
    by: "and o.lane is not null and o.state = 'pending' and (o.behind or o.due_at <= at or o.token is not null)",
    violation: /I22: .* began before .* of its lane had ended/,
  },
  "an operation that leaves its lane is not marked": {
    of: "left_lane_v1",
    replace: "new.lane_left := pg_current_xact_id();",
    by: "",
    violation: STANDS_STILL,
  },
  "claims do not look for lanes that operations have left": {
    of: "pass_turns_v1",
    replace: "limit 256",
    by: "limit 0",
    violation: STANDS_STILL,
  },
  "a lane that an operation has left is unmarked without a next turn": {
    of: "pass_turn_v1",
    replace: "if lane.token is null and lane.behind then",
    by: "if false then",
    violation: STANDS_STILL,
  },
  "a claim begins more of a tenant than it has places": {
    of: "select_by_turns_v1",
    replace: "least(share + (t.place <= extra)::integer, t.free)",
    by: "share + (t.place <= extra)::integer",
    violation: /I22: .* began as number 3 of /,
  },
  "the count of places passes leases that have not ended": {
    of: "held_since_v1",
    replace: "looked_at + shortest",
    by: "looked_at + 2 * shortest",
    also: {
      of: "held_since_v1",
      replace: "least(to_timestamp((known->>0)::float8 / 1000)",
      by: "least('infinity'",
    },
    violation: /I22: .* began as number \d of /,
  },
  "the least urgent work begins first": {
    of: "select_by_turns_v1",
    replace: "foreach level in array levels loop",
    by: "foreach level in array array(select l.level from unnest(levels) as l(level) order by 1 desc) loop",
    violation: /I24: .* waits, but one of/,
  },
  "a claim ignores pauses": {
    of: "claim_v1",
    replace: "paused := exists (select from",
    by: "paused := false and exists (select from",
    violation: /I23: .* was paused/,
  },
  "a settlement loses its result": {
    of: "settle_v1",
    replace: "result = case item.target when 'completed' then nullif(item.content, '') end",
    by: "result = null",
    violation: /I8: .* was read as/,
  },
  "a renewal keeps the first progress": {
    of: "renew_v1",
    replace: "coalesce(nullif(item.progress, ''), o.progress)",
    by: "coalesce(o.progress, nullif(item.progress, ''))",
    violation: /I8: .* was read as/,
  },
  "the resource of a 201 is lost": {
    of: "set_resource_v1",
    replace: "resource = p_resource",
    by: "resource = o.resource",
    violation: /I8: .* was read as/,
  },
  "reading ignores the tenant": {
    of: "get_v1",
    replace: "and o.tenant = p_tenant",
    by: "",
    violation: /I9: .* read /,
  },
  "cancelling ignores the tenant": {
    of: "cancel_v1",
    replace: "and o.tenant = p_tenant",
    by: "",
    violation: /I9: .* asked to cancel/,
  },
};

/**
 * Returns how to play histories on a server with a mistake. Each history gets its own schema, because the order of rows
 * depends on what a table had before.
 */
export function playOnMutant(server: Server, { also, ...change }: Mutant): Play {
  return async (options) => {
    const schema = await openSimulatedSchema(server);
    try {
      await plant(server, schema.name, change);
      if (also !== undefined) await plant(server, schema.name, also);
      return await playOn(schema.create({ transactional: true }))({ ...options, turns: true });
    } finally {
      await schema.close();
    }
  };
}

/** Replaces a part of the text of a SQL function. */
async function plant({ pool }: Server, schema: string, { of, replace, by }: Change): Promise<void> {
  const { rows } = await pool.query("select pg_get_functiondef($1::regproc) as text", [`${schema}.${of}`]);
  const text = String(rows[0].text);
  expect(
    text,
    "The fault cannot be planted, because the function does not contain the text to replace.",
  ).toContain(replace);
  await pool.query(text.replaceAll(replace, by));
}
