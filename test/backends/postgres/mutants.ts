import { expect } from "vitest";
import type { Server } from "../../support/postgres/server.js";
import { type Planted, type Play, playOn } from "../../testing/pinned-seeds.js";
import { openSimulatedSchema } from "./simulated-schema.js";

/** A mistake in the SQL functions of a server. */
interface Mutant extends Planted {
  /** By function, the parts of its text to replace, with what replaces them. */
  readonly changes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const STANDS_STILL = /I27: .* has waited for \d+ ms/;

/** Servers with one mistake each. */
export const postgresMutants: Readonly<Record<string, Mutant>> = {
  "a settlement is not guarded by its token": {
    changes: { settle_v1: { "and o.token = item.token": "" } },
    violation: /I6: .* was settled with a stale token/,
  },
  "a renewal is not guarded by its token": {
    changes: { renew_v1: { "and o.token = item.token": "" } },
    violation: /I6: .* was renewed with a stale token/,
  },
  "a claim ignores live leases": {
    changes: {
      claim_v1: {
        "and o.due_at >= earliest and o.due_at <= at\n            and (o.cancel_requested":
          "and (o.cancel_requested",
      },
    },
    violation: /I2: |I7: .* has two live leases/,
  },
  "a claim does not count its attempt": {
    changes: { claim_v1: { "attempt = o.attempt + 1": "attempt = o.attempt" } },
    violation: /I2: .* began as attempt/,
  },
  "an operation that waits for a retry does not hold up its lane": {
    changes: {
      lane_v1: {
        "and o.lane is not null and o.state = 'pending' and o.urgency <> 8":
          "and o.lane is not null and o.state = 'pending' and (o.behind or o.due_at <= at or o.token is not null)",
      },
    },
    violation: /I22: .* began before .* of its lane had ended/,
  },
  "an operation that leaves its lane is not marked": {
    changes: { left_lane_v1: { "new.lane_left := pg_current_xact_id();": "" } },
    violation: STANDS_STILL,
  },
  "claims do not look for lanes that operations have left": {
    changes: { pass_turns_v1: { "limit 256": "limit 0" } },
    violation: STANDS_STILL,
  },
  "a lane that an operation has left is unmarked without a next turn": {
    changes: { pass_turn_v1: { "if lane.token is null and lane.behind then": "if false then" } },
    violation: STANDS_STILL,
  },
  "a claim begins more of a tenant than it has places": {
    changes: {
      select_by_turns_v1: {
        "least(share + (t.place <= extra)::integer, t.free)": "share + (t.place <= extra)::integer",
      },
    },
    violation: /I22: .* began as number 3 of /,
  },
  "the count of places passes leases that have not ended": {
    changes: {
      held_since_v1: {
        "looked_at + shortest": "looked_at + 2 * shortest",
        // Otherwise, another part keeps the promise.
        "least(to_timestamp((known->>0)::float8 / 1000)": "least('infinity'",
      },
    },
    violation: /I22: .* began as number \d of /,
  },
  "the least urgent work begins first": {
    changes: {
      select_by_turns_v1: {
        "foreach level in array levels loop":
          "foreach level in array array(select l.level from unnest(levels) as l(level) order by 1 desc) loop",
      },
    },
    violation: /I24: .* waits, but one of/,
  },
  "a claim ignores pauses": {
    changes: { claim_v1: { "paused := exists (select from": "paused := false and exists (select from" } },
    violation: /I23: .* was paused/,
  },
  "a settlement loses its result": {
    changes: {
      settle_v1: {
        "result = case item.target when 'completed' then nullif(item.content, '') end": "result = null",
      },
    },
    violation: /I8: .* was read as/,
  },
  "a renewal keeps the first progress": {
    changes: {
      renew_v1: {
        "coalesce(nullif(item.progress, ''), o.progress)": "coalesce(o.progress, nullif(item.progress, ''))",
      },
    },
    violation: /I8: .* was read as/,
  },
  "the resource of a 201 is lost": {
    changes: { set_resource_v1: { "resource = p_resource": "resource = o.resource" } },
    violation: /I8: .* was read as/,
  },
  "reading ignores the tenant": {
    changes: { get_v1: { "and o.tenant = p_tenant": "" } },
    violation: /I9: .* read /,
  },
  "cancelling ignores the tenant": {
    changes: { cancel_v1: { "and o.tenant = p_tenant": "" } },
    violation: /I9: .* asked to cancel/,
  },
};

/**
 * Returns how to play histories on a server with a mistake. Each history gets its own schema, because the order of rows
 * depends on what a table had before.
 */
export function playOnMutant(server: Server, { changes }: Mutant): Play {
  return async (options) => {
    const schema = await openSimulatedSchema(server);
    try {
      for (const [name, parts] of Object.entries(changes))
        await plant(server, `${schema.name}.${name}`, Object.entries(parts));
      return await playOn(schema.create({ transactional: true }))({ ...options, turns: true });
    } finally {
      await schema.close();
    }
  };
}

/** Replaces parts of the text of a SQL function. */
export async function plant(
  { pool }: Pick<Server, "pool">,
  name: string,
  parts: readonly (readonly [string, string])[],
): Promise<void> {
  const { rows } = await pool.query("select pg_get_functiondef($1::regproc) as text", [name]);
  let text = String(rows[0].text);
  for (const [part, by] of parts) {
    const message = "The fault cannot be planted, because the function does not contain the text to replace.";
    expect(text, message).toContain(part);
    text = text.replaceAll(part, by);
  }
  await pool.query(text);
}
