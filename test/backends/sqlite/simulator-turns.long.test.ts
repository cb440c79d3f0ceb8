import { createSqliteBackend } from "async-request-reply/sqlite";
import { type SimulationFailure, simulate } from "async-request-reply/testing";
import { afterEach, expect, it, vi } from "vitest";
import { Turns } from "../../../src/backends/sqlite/records/turns.js";
import { describeClients } from "../../support/sqlite/clients.js";

/** The fault must be detected within this many histories. */
const MAX_SEEDS = 1_000;

describeClients(
  "the simulator on SQLite",
  (client) => {
    afterEach(() => void vi.restoreAllMocks());

    it("detects that the turns always begin after the same tenant", { timeout: 300_000 }, async () => {
      vi.spyOn(Turns.prototype, "last").mockReturnValue("tenant-1");
      let found = "";
      for (let seed = 1; seed <= MAX_SEEDS && found === ""; seed += 1) {
        const database = client.open(":memory:");
        const played = simulate((clock) => createSqliteBackend({ database, runtime: { clock } }), {
          seed,
          shrink: false,
          turns: true,
        });
        found = await played.then(
          () => "",
          (failure: SimulationFailure) => failure.violations.join(),
        );
        database.close();
      }
      expect(found).toMatch(/I24: .* was passed over by/);
    });
  },
  ["libsql"],
);
