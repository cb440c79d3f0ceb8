import { misuse } from "../../../contract/options.js";
import type { Statements } from "../connection/statements.js";

/** Throws `INVALID_OPTION` if the client does not return rows as objects with numbers and plain names of columns. */
export function refuseOtherRows(statements: Statements): void {
  const row = statements.first("select t.name, 1 as number from (select 'x' as name) as t") ?? {};
  if (Array.isArray(row)) throw misuse(otherForm("arrays"));
  if ("t.name" in row)
    throw misuse(
      'The database names a column "t.name" instead of "name". Run `pragma full_column_names = off` on its connection.',
    );
  if (typeof row.number === "bigint") throw misuse(otherForm("integers as BigInt"));
}

function otherForm(what: string): string {
  return (
    `The client of SQLite returns ${what}. Open the database without the option for that, such as \`safeIntegers\`, ` +
    "`readBigInts` or `returnArrays`."
  );
}
