import { createSqliteBackend } from "async-request-reply/sqlite";
import { vi } from "vitest";
import { Turns } from "../../../src/engine/turns.js";
import type { SqliteClient } from "../../support/sqlite/clients.js";
import { type Planted, type Play, playOn } from "../../testing/pinned-seeds.js";

/** A mistake of an SQLite back end. */
export const plantedTurns: Planted & { readonly name: string } = {
  name: "the turns always begin after the same tenant",
  violation: /I24: .* was passed over by/,
};

/** Returns how to play histories on SQLite with the mistake. */
export function playTurns(client: SqliteClient): Play {
  return async (options) => {
    const last = vi.spyOn(Turns.prototype, "last").mockReturnValue("tenant-1");
    const database = client.open(":memory:");
    try {
      const play = playOn((clock) => createSqliteBackend({ database, runtime: { clock } }));
      return await play({ ...options, turns: true });
    } finally {
      database.close();
      last.mockRestore();
    }
  };
}
