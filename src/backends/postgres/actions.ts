import type { ActionsStore } from "../../ports/actions-store.js";
import { toAction } from "../shared/action-row.js";
import { integer } from "../shared/row.js";
import type { Gateway } from "./calls/gateway.js";

/** Creates the store of actions. */
export function createPostgresActions(gateway: Gateway<unknown>): ActionsStore {
  return {
    record: async ({ id, action, definition = null, operationId = null, by = null, via = null, facts }) => {
      const values = [id, action, definition, operationId, by, via, facts];
      await gateway.call("record_action_v3", values, { repeatable: true });
    },
    list: async ({ definition = null, operationId = null, from = null, to = null, limit }) => {
      const values = [definition, operationId, from, to, limit];
      return (await gateway.call("list_actions_v3", values, { repeatable: true })).map(toAction);
    },
    purge: async ({ limit }) => {
      const [row = {}] = await gateway.call("purge_actions_v3", [limit]);
      return integer(row, "purged");
    },
  };
}
