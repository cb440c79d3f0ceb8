import type { ActionsTable } from "../../../engine/actions.js";
import type { ActionsRequest } from "../../../ports/actions-store.js";
import { toAction } from "../../shared/action-row.js";
import { text } from "../../shared/row.js";
import type { Statements } from "../connection/statements.js";

const SAVE = `insert into arr_actions (id, at_ms, action, definition, operation_id, acted_by, acted_via, facts)
  values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do update set facts = excluded.facts`;

/** Conditions of a list, by the members of its request. */
const CONDITIONS = [
  ["operationId", "operation_id = ?"],
  ["definition", "definition = ?"],
  ["from", "at_ms >= ?"],
  ["to", "at_ms < ?"],
] as const satisfies readonly (readonly [keyof ActionsRequest, string])[];

/** Creates the table of actions of a database. Every method runs within a transaction. */
export function createActionsTable({ run, all }: Statements, now: () => number): ActionsTable {
  return {
    now,
    save: ({ id, at, action, definition = null, operationId = null, by = null, via = null, facts }) =>
      run(SAVE, id, at, action, definition, operationId, by, via, facts),
    list: (request) => {
      const given = CONDITIONS.flatMap(([name, condition]) => {
        const value = request[name];
        return value === undefined ? [] : [{ condition, value }];
      });
      const where =
        given.length === 0 ? "" : `where ${given.map(({ condition }) => condition).join(" and ")}`;
      const values = given.map(({ value }) => value);
      const sql = `select * from arr_actions ${where} order by at_ms desc, id desc limit ?`;
      return all(sql, ...values, request.limit).map(toAction);
    },
    removeBefore: (time, limit) => {
      const old = all("select id from arr_actions where at_ms < ? order by at_ms limit ?", time, limit);
      for (const row of old) run("delete from arr_actions where id = ?", text(row, "id"));
      return old.length;
    },
  };
}
