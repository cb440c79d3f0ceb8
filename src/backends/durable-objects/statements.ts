import type { Row } from "../shared/row.js";
import type { SqliteValue } from "../sqlite/connection/sqlite-database.js";
import type { Statements } from "../sqlite/connection/statements.js";
import type { ObjectRows, ObjectStorage } from "./storage.js";

/**
 * Creates the statements of an object. The platform prepares each text once. A statement that names an index which objects do not
 * have uses the one that stands for it.
 */
export function createObjectStatements(storage: ObjectStorage): Statements {
  const { sql } = storage;
  const texts = new Map<string, string>();
  const own = (query: string): string => {
    const known = texts.get(query);
    if (known !== undefined) return known;
    const text = query.replaceAll(INDEX, (_, index: string) => `indexed by ${STANDS_FOR[index] ?? index}`);
    texts.set(query, text);
    return text;
  };
  const execute = (query: string, values: readonly SqliteValue[]): ObjectRows => {
    refuseLargeRow(values);
    return sql.exec(own(query), ...values);
  };
  const all: Statements["all"] = (query, ...values) =>
    execute(query, values).toArray() as unknown as readonly Row[];
  return {
    exec: (text) => void sql.exec(text),
    nested: (steps) => storage.transactionSync(steps),
    run: (query, ...values) => void execute(query, values),
    all,
    first: (query, ...values) => all(query, ...values)[0],
  };
}

/** Maximum size of a row on the platform. Bytes. */
const MAX_ROW_BYTES = 2_000_000;
/** No text has more bytes in UTF-8 for each of its UTF-16 code units. */
const BYTES_PER_UNIT = 3;

/** Refuses a row as the platform does, which its runtime alone does not. Throws `SQLITE_TOOBIG`. */
function refuseLargeRow(values: readonly SqliteValue[]): void {
  let units = 0;
  for (const value of values) if (typeof value === "string") units += value.length;
  if (units * BYTES_PER_UNIT <= MAX_ROW_BYTES) return;
  const encoder = new TextEncoder();
  let bytes = 0;
  for (const value of values) if (typeof value === "string") bytes += encoder.encode(value).length;
  if (bytes > MAX_ROW_BYTES) throw new Error("The row is too big: SQLITE_TOOBIG");
}

const INDEX = /indexed by (\w+)/g;

/** Indexes that have a tenant or a list in them, and what finds the same rows among those of one tenant. */
const STANDS_FOR: Readonly<Record<string, string>> = {
  arr_operations_turns: "arr_operations_waiting",
  arr_operations_of_tenant: "arr_operations_created",
  arr_operations_unfinished: "arr_operations_created",
  arr_operations_failed_of_tenant: "arr_operations_failed",
};
