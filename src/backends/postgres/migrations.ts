import { attemptFunctions } from "./schema/attempt-functions.js";
import { claimFunctions } from "./schema/claim-functions.js";
import { readFunctions } from "./schema/read-functions.js";
import { recordFunctions } from "./schema/record-functions.js";
import { settleFunctions } from "./schema/settle-functions.js";
import { sweepFunctions } from "./schema/sweep-functions.js";
import { tables } from "./schema/tables.js";
import { transactionFunctions } from "./schema/transaction-functions.js";
import { quoteSchema } from "./schema-name.js";

/** The store's clock, in one place: everything reckons by it, and a test can put its own there. */
function clock(schema: string): string {
  return `
create function ${schema}.now_v1() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()';`;
}

/** What each version adds. Nothing here is ever changed or taken away: the release before goes on beside this one. */
function additions(schema: string): readonly string[] {
  return [
    [
      tables(schema),
      clock(schema),
      ...readFunctions(schema),
      ...recordFunctions(schema),
      ...attemptFunctions(schema),
      ...settleFunctions(schema),
      ...sweepFunctions(schema),
      ...claimFunctions(schema),
      ...transactionFunctions(schema),
    ].join("\n"),
  ];
}

/**
 * The statements that bring a schema up to this release, one for each version, in order. Each may be run any number of
 * times and by several processes at once: it waits its turn, looks whether its version is there, and then does nothing.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function postgresMigrations(schema = "async_request_reply"): readonly string[] {
  const quoted = quoteSchema(schema);
  return additions(quoted).map(
    (addition, index) => `do $migration$
begin
  perform pg_advisory_xact_lock(hashtextextended('async-request-reply migrations of ${schema}', 0));
  if to_regnamespace('${schema}') is null then
    create schema ${quoted};
  end if;
  if to_regclass('${schema}.migrations') is null then
    create table ${quoted}.migrations (version integer primary key, applied_at timestamptz not null default now());
  end if;
  if not exists (select from ${quoted}.migrations where version = ${index + 1}) then
    execute $addition$${addition}
$addition$;
    insert into ${quoted}.migrations (version) values (${index + 1});
  end if;
end
$migration$;
`,
  );
}
