import { afterAll, beforeAll, describe } from "vitest";
import { isNight } from "../../support/effort.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { runPortSuites } from "./run-port-suites.js";

/** Settings that a role or a database may have. Each of them has broken some Postgres client. */
const UNUSUAL = {
  array_nulls: "off",
  backslash_quote: "off",
  bytea_output: "escape",
  DateStyle: "SQL,DMY",
  extra_float_digits: "-15",
  idle_in_transaction_session_timeout: "2s",
  IntervalStyle: "sql_standard",
  lock_timeout: "1ms",
  plan_cache_mode: "force_custom_plan",
  "plpgsql.extra_errors": "all",
  quote_all_identifiers: "on",
  row_security: "off",
  search_path: "",
  standard_conforming_strings: "off",
  statement_timeout: "5s",
  TimeZone: "Asia/Kathmandu",
  transform_null_equals: "on",
};

const runs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "unusual settings": UNUSUAL,
  SERIALIZABLE: { default_transaction_isolation: "serializable" },
  // Everything that fails here fails in a serializable transaction too.
  ...(isNight ? { "REPEATABLE READ": { default_transaction_isolation: "repeatable read" } } : {}),
};

await describePostgres("the back end on connections with", (server) => {
  describe.each(Object.entries(runs))("%s", (_, settings) => {
    let pool: ReturnType<typeof openPool>;
    beforeAll(() => {
      const all = { synchronous_commit: "off", ...settings };
      const options = Object.entries(all).map(
        ([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`,
      );
      pool = openPool({ max: 20, options: options.join(" ") });
    });
    afterAll(() => pool.end());

    runPortSuites({
      stopped: () => server.openStopped({ pool }),
      running: async (options) => server.open({ pool, ...options }),
    });
  });
});
