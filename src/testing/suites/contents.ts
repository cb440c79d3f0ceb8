import { TENANTS } from "./tenants.js";

const LIMIT_BYTES = 65_536;

/** Every printable ASCII character. */
const PRINTABLE = String.fromCharCode(...Array.from({ length: 0x7f - 0x20 }, (_, index) => 0x20 + index));

/** JSON texts of every type, at the size limits, and with content that databases and drivers are known to change. */
export const JSON_TEXTS: readonly string[] = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "1.0",
  "1E+2",
  "12345678901234567890.12345678901234567890",
  '""',
  '"null"',
  '"NULL"',
  '"{}"',
  "[]",
  "{}",
  '{"b":1,"a":{"":[null,""]},"b":2}',
  ' { "spaced" : [ 1 , 2 ] } ',
  '"\\u0000"',
  '"\\ud800 and \\udc00"',
  '"\\"\\\\\\n\\r\\t\\/"',
  '"it\'s, $1, %s, \\\\N"',
  '"\u{1f600}\u{10ffff}\u00e9e\u0301\u2028"',
  JSON.stringify(PRINTABLE),
  `"${"x".repeat(LIMIT_BYTES - 2)}"`,
  `"${'\\"'.repeat((LIMIT_BYTES - 2) / 2)}"`,
  `["${"\u{1f600}".repeat(LIMIT_BYTES / 4 - 1)}"]`,
];

/** Ids of principals that databases and drivers may confuse with others or with none. */
export const PRINCIPALS: readonly string[] = [
  ...TENANTS,
  "NULL",
  "null",
  "{}",
  '""',
  "\\N",
  "undefined",
  "0",
];

/** Idempotency keys at the limits: 1 to 255 printable ASCII characters. */
export const KEYS: readonly string[] = [
  "k",
  " ",
  '"',
  "\\",
  "'",
  "NULL",
  "null",
  "{}",
  "{NULL}",
  '{"a","b"}',
  '""',
  "\\N",
  "\\x41",
  "$1",
  "(a,b)",
  " leading and trailing ",
  PRINTABLE,
  "k".repeat(255),
  '"'.repeat(255),
  "\\".repeat(255),
  " ".repeat(255),
];
