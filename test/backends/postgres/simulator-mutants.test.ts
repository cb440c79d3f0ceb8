import { it } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { expectAtPin } from "../../testing/pinned-seeds.js";
import { playOnMutant, postgresMutants } from "./mutants.js";

await describePostgres("the simulator on a Postgres server with a fault", (server) => {
  it.each(Object.entries(postgresMutants))("detects that %s", async (name, mutant) => {
    await expectAtPin("postgres", name, mutant, playOnMutant(server, mutant));
  });
});
