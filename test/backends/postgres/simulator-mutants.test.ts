import { SimulationFailure, simulate } from "async-request-reply/testing";
import { expect, it } from "vitest";
import { describePostgres, type Server } from "../../support/postgres/server.js";
import { openSimulatedSchema } from "./simulated-schema.js";

const MAX_HISTORIES = 200;

interface Mutant {
  readonly name: string;
  /** SQL function to change. */
  readonly of: string;
  /** Part of its text. */
  readonly replace: string;
  /** Replacement for that part. */
  readonly by: string;
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
    replace: "and o.due_at >= earliest and o.due_at <= at and (admitted",
    by: "and (admitted",
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
  it.each(mutants)("detects that $name", { timeout: 300_000 }, async ({ of, replace, by, violation }) => {
    const schema = await openSimulatedSchema(server);
    try {
      await plant(server, `${schema.name}.${of}`, replace, by);
      const failure = await firstFailure((seed) =>
        simulate(schema.create({ composed: false }), { seed, shrink: false }),
      );
      expect(failure?.violations.join()).toMatch(violation);
    } finally {
      await schema.close();
    }
  });
});

/** Replaces a part of the text of a SQL function. */
async function plant({ pool }: Server, name: string, part: string, by: string): Promise<void> {
  const { rows } = await pool.query("select pg_get_functiondef($1::regproc) as text", [name]);
  const text = String(rows[0].text);
  expect(
    text,
    "The fault cannot be planted, because the function does not contain the text to replace.",
  ).toContain(part);
  await pool.query(text.replaceAll(part, by));
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
