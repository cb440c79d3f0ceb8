import { it } from "vitest";
import { describeClients } from "../../support/sqlite/clients.js";
import { expectAtPin } from "../../testing/pinned-seeds.js";
import { plantedTurns, playTurns } from "./planted-turns.js";

describeClients(
  "the simulator on SQLite",
  (client) => {
    it(`detects that ${plantedTurns.name}`, async () => {
      await expectAtPin("sqlite", plantedTurns.name, plantedTurns, playTurns(client));
    });
  },
  ["libsql"],
);
