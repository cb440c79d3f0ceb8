import type { MinutesStore } from "../../ports/minutes-store.js";
import { integer } from "../shared/row.js";
import { toWork } from "../shared/work-row.js";
import type { Gateway } from "./calls/gateway.js";

/** Creates the store of minutes. */
export function createPostgresMinutes(gateway: Gateway<unknown>): MinutesStore {
  return {
    write: async (rows) => {
      if (rows.length > 0)
        await gateway.call("write_minutes_v3", [JSON.stringify(rows)], { repeatable: true });
    },
    fold: async ({ limit }) => {
      const [row = {}] = await gateway.call("fold_minutes_v3", [limit]);
      return integer(row, "folded");
    },
    read: async ({ definitions = null, from, to, stepMs }) => {
      const rows = await gateway.call("read_minutes_v3", [definitions, from, to, stepMs], {
        repeatable: true,
      });
      return rows.map((row) => ({ start: integer(row, "start_ms"), ...toWork(row) }));
    },
  };
}
