import { SimulationFailure, simulate } from "async-request-reply/testing";
import { expect, it } from "vitest";
import { describePostgres, type Server } from "../../support/postgres/server.js";
import { openSimulatedSchema } from "./simulated-schema.js";

const MAX_HISTORIES = 200;

interface Change {
  /** SQL function to change. */
  readonly of: string;
  /** Part of its text. */
  readonly replace: string;
  /** Replacement for that part. */
  readonly by: string;
}

interface Mutant extends Change {
  readonly name: string;
  /** Another change. Without it, another function keeps the promise. */
  readonly also?: Change;
  readonly violation: RegExp;
}

const mutants: readonly Mutant[] = [
  {
    name: "a settlement is not guarded by its token",
    of: "settle_v1",
    replace: "and o.token = item.token",
    by: "",
    violation: /I6: .* was settled with a stale token/,
  },
  {
    name: "a renewal is not guarded by its token",
    of: "renew_v1",
    replace: "and o.token = item.token",
    by: "",
    violation: /I6: .* was renewed with a stale token/,
  },
  {
    name: "a receive call ignores live leases",
    of: "receive_v1",
    replace: "and o.due_at >= earliest and o.due_at <= at\n          and (o.cancel_requested",
    by: "and (o.cancel_requested",
    violation: /I2: |I7: .* has two live leases/,
  },
  {
    name: "a receive call does not count its attempt",
    of: "receive_v1",
    replace: "attempt = o.attempt + 1",
    by: "attempt = o.attempt",
    violation: /I2: .* began as attempt/,
  },
  {
    name: "an operation that waits for a retry does not hold up its lane",
    of: "has_turn_v1",
    replace: "and f.lane is not null and f.state = 'pending'",
    by: "and f.lane is not null and f.state = 'pending' and (f.due_at <= at or f.token is not null)",
    also: {
      of: "promote_v1",
      replace: "and o.lane is not null and o.state = 'pending'",
      by: "and o.lane is not null and o.state = 'pending' and (o.behind or o.due_at <= at)",
    },
    violation: /I22: .* began before .* of its lane had ended/,
  },
  {
    name: "the turns of tenants with limits end at the last tenant",
    of: "select_within_v1",
    replace: "exit when wrapped;",
    by: "exit;",
    violation: /I2: .* never ended/,
  },
  {
    name: "the least urgent work begins first",
    of: "select_within_v1",
    replace: "for level in 0..7 loop",
    by: "for level in reverse 7..0 loop",
    violation: /I24: .* waits, but one of/,
  },
  {
    name: "a receive call ignores pauses",
    of: "receive_v1",
    replace: "paused := exists (select from",
    by: "paused := false and exists (select from",
    violation: /I23: .* was paused/,
  },
  {
    name: "a settlement loses its result",
    of: "settle_v1",
    replace: "result = case item.target when 'completed' then nullif(item.content, '') end",
    by: "result = null",
    violation: /I8: .* was read as/,
  },
  {
    name: "a renewal keeps the first progress",
    of: "renew_v1",
    replace: "coalesce(nullif(item.progress, ''), o.progress)",
    by: "coalesce(o.progress, nullif(item.progress, ''))",
    violation: /I8: .* was read as/,
  },
  {
    name: "the resource of a 201 is lost",
    of: "set_resource_v1",
    replace: "resource = p_resource",
    by: "resource = o.resource",
    violation: /I8: .* was read as/,
  },
  {
    name: "reading ignores the tenant",
    of: "get_v1",
    replace: "and o.tenant = p_tenant",
    by: "",
    violation: /I9: .* read /,
  },
  {
    name: "cancelling ignores the tenant",
    of: "cancel_v1",
    replace: "and o.tenant = p_tenant",
    by: "",
    violation: /I9: .* asked to cancel/,
  },
];

await describePostgres("the simulator on a Postgres server with a fault", (server) => {
  it.each(mutants)("detects that $name", { timeout: 300_000 }, async ({ also, violation, ...change }) => {
    const schema = await openSimulatedSchema(server);
    try {
      for (const each of also === undefined ? [change] : [change, also])
        await plant(server, schema.name, each);
      const failure = await firstFailure((seed) =>
        simulate(schema.create({ composed: false }), { seed, shrink: false, turns: true }),
      );
      expect(failure?.violations.join()).toMatch(violation);
    } finally {
      await schema.close();
    }
  });
});

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

async function firstFailure(run: (seed: number) => Promise<unknown>): Promise<SimulationFailure | undefined> {
  for (let seed = 1; seed <= MAX_HISTORIES; seed += 1) {
    try {
      await run(seed);
    } catch (error) {
      if (error instanceof SimulationFailure) return error;
      throw error;
    }
  }
  return undefined;
}
