import type { IdempotencyStore } from "async-request-reply";
import { type SqlClient, text } from "./sql.js";

/** Claims are rows of operations: a row that only holds its key is in the state `claimed`, which no reader sees. */
export function createPostgresIdempotencyStore(client: SqlClient): IdempotencyStore {
  return {
    claim: async ({ scope, definition, key, fingerprint, operationId }) => {
      const { rows } = await client.query(
        `insert into operations (scope, definition, key, fingerprint, id, state) values ($1, $2, $3, $4, $5, 'claimed')
         on conflict (scope, definition, key) do update set key = excluded.key returning id, fingerprint`,
        [scope, definition, key, fingerprint, operationId],
      );
      const [row = {}] = rows;
      const owner = text(row, "id");
      if (owner === operationId) return { outcome: "claimed" };
      return { outcome: "exists", operationId: owner, fingerprint: text(row, "fingerprint") };
    },
    release: async ({ scope, definition, key, operationId }) => {
      await client.query(
        `with freed as (update operations set key = null
           where scope = $1 and definition = $2 and key = $3 and id = $4 returning id, state)
         delete from operations where id in (select id from freed where state = 'claimed')`,
        [scope, definition, key, operationId],
      );
    },
    takeStale: async ({ olderThanMs, limit }) => {
      const { rows } = await client.query("select * from take_stale_claims($1, $2)", [olderThanMs, limit]);
      return rows.map((row) => ({
        scope: text(row, "scope"),
        definition: text(row, "definition"),
        key: text(row, "key"),
        fingerprint: text(row, "fingerprint"),
        operationId: text(row, "id"),
      }));
    },
  };
}
