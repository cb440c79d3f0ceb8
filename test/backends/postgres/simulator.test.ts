import { simulate } from "async-request-reply/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { effort, FIRST_SEED as FIRST } from "../../support/effort.js";
import { describePostgres } from "../../support/postgres/server.js";
import { inAllSchemas, openSimulatedSchema, type SimulatedSchema } from "./simulated-schema.js";

const HISTORIES = Number(process.env.POSTGRES_HISTORIES ?? effort(10, 10, 500));
const FIRST_SEED = Number(process.env.POSTGRES_SEED ?? FIRST);
/** Number of concurrent histories. A single history spends most of its time waiting for the server. */
const SCHEMAS = Number(process.env.POSTGRES_SCHEMAS ?? 4);

await describePostgres("the simulator on a Postgres server", (server) => {
  let schemas: readonly SimulatedSchema[] = [];

  beforeAll(async () => {
    schemas = await Promise.all(Array.from({ length: SCHEMAS }, () => openSimulatedSchema(server)));
  });
  afterAll(() => Promise.all(schemas.map((schema) => schema.close())));

  it.each([
    ["with transactions", true],
    ["without transactions", false],
  ])(
    `finds no violation in ${HISTORIES} histories from seed ${FIRST_SEED}, %s`,
    { timeout: 600_000 },
    async (_, transactional) => {
      const played: number[] = [];
      await inAllSchemas(schemas, { first: FIRST_SEED, count: HISTORIES }, async (seed, schema) => {
        const counts = seed % 4 === 0;
        await simulate(schema.create({ transactional }), { seed, shrink: false, turns: true, counts });
        played.push(seed);
      });
      expect(played).toHaveLength(HISTORIES);
    },
  );

  it("repeats a history in another schema", { timeout: 120_000 }, async () => {
    const play = async (): Promise<readonly string[]> => {
      const schema = await openSimulatedSchema(server);
      const create = schema.create({ transactional: true });
      return (await simulate(create, { seed: FIRST_SEED, shrink: false, turns: true }).finally(schema.close))
        .trace;
    };
    expect(await play()).toEqual(await play());
  });
});
