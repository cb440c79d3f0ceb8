import { type Backend, createMemoryBackend } from "async-request-reply";
import { type CreateBackend, simulate } from "async-request-reply/testing";
import { it } from "vitest";
import { interceptBackend } from "../../../src/testing/intercept-backend.js";
import { followClock, stopTime } from "./manual-time.js";
import { describePostgres } from "./server.js";

const HISTORIES = Number(process.env.POSTGRES_HISTORIES ?? 20);

await describePostgres("the simulator over a Postgres server", (server) => {
  const schema = server.newSchema();

  /** One schema for all histories, emptied between them: making one takes longer than a history. */
  const create =
    (composed: boolean): CreateBackend =>
    async (clock) => {
      const backend = server.open({ schema });
      await backend.migrate();
      await server.pool.query(`truncate ${schema}.operations`);
      const time = await stopTime((text) => server.pool.query(text), schema, clock.now());
      const follow = followClock(time, clock);
      const { submissions, ...stores } = backend;
      // The ledger of the simulator does not hear of attempts that begin with the receipt: it takes them for stolen ones.
      const { queue } = createMemoryBackend({ clock });
      const used: Backend = composed ? { ...stores, queue } : { ...stores, queue, submissions };
      return interceptBackend(used, async (_, proceed) => {
        await follow();
        return proceed();
      });
    };

  it.each([
    ["recorded in one step", false],
    ["recorded one after the other", true],
  ])(
    `finds nothing in ${HISTORIES} histories with key and operation %s`,
    { timeout: 600_000 },
    async (_, composed) => {
      for (let seed = 1; seed <= HISTORIES; seed += 1) await simulate(create(composed), { seed });
    },
  );
});
