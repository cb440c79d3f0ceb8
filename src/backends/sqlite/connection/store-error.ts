import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { DETAILS } from "../../shared/details.js";

interface Kind {
  readonly code: "STORE_UNAVAILABLE" | "OVERLOADED" | "CORRUPT_RECORD" | "INTERNAL";
  readonly detail: string;
}

const UNAVAILABLE: Kind = { code: "STORE_UNAVAILABLE", detail: DETAILS.unreachable };
const UNSTORABLE: Kind = { code: "INTERNAL", detail: DETAILS.unstorable };
const UNREADABLE: Kind = { code: "CORRUPT_RECORD", detail: "The store holds data that cannot be read." };

/** Creates a map instead of an object, because error codes can be any text. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["SQLITE_FULL", { code: "OVERLOADED", detail: DETAILS.full }],
  ["SQLITE_NOMEM", { code: "OVERLOADED", detail: "The store is out of memory." }],
  ["SQLITE_READONLY", { code: "STORE_UNAVAILABLE", detail: "The store cannot be written." }],
  ["SQLITE_CORRUPT", UNREADABLE],
  ["SQLITE_NOTADB", UNREADABLE],
  ["SQLITE_TOOBIG", UNSTORABLE],
  ["SQLITE_CONSTRAINT", UNSTORABLE],
  ["SQLITE_MISMATCH", UNSTORABLE],
]);

/** Converts an error of the client to the error that the ports document. Messages of SQLite never quote data. */
export function toStoreError(error: unknown, recorded?: "no"): AsyncReplyError {
  if (isAsyncReplyError(error)) return error.code === "INVALID_OPTION" ? unusable(error) : error;
  const result = resultCodeOf(error);
  const { code, detail } = KINDS.get(result) ?? UNAVAILABLE;
  // Replaces `detail` in events and logs, and says what to do.
  const eventDetail = ADVICE.get(result);
  return new AsyncReplyError(code, detail, {
    cause: error,
    ...(eventDetail === undefined ? {} : { eventDetail }),
    ...(recorded === undefined ? {} : { recorded }),
  });
}

/** Returns the error of a call that waited too long for other processes. */
export function lockedTooLong(cause: unknown): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The store is locked by another process.", {
    cause,
    eventDetail:
      "Another process held the lock of the database for too long. Look for a transaction that stays open, or raise `lockTimeoutMs`.",
    recorded: "no",
  });
}

/** Clients do not see mistakes in the configuration. Events and logs do. */
function unusable(cause: AsyncReplyError): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", UNAVAILABLE.detail, {
    cause,
    eventDetail: cause.detail,
    recorded: "no",
  });
}

/** Returns the error of a transaction of the user that cannot write. */
export function lockedForWriting(cause: unknown): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The store is locked by another connection.", {
    cause,
    eventDetail:
      "Another connection is writing, or has written since this transaction began. Roll back, and run the whole " +
      "transaction again. Begin it with `begin immediate`, so that only the beginning can fail.",
    recorded: "no",
  });
}

/** Says what to do about an error, by its result code. Errors of calls and of `check` say the same. */
export const ADVICE: ReadonlyMap<string, string> = new Map([
  [
    "SQLITE_READONLY",
    "The database is read-only. Make the file and its folder writable for this process, open it without a read-only option, and restart the process.",
  ],
  [
    "SQLITE_CANTOPEN",
    "The database file or its write-ahead log cannot be opened. Make the file, its folder and the files with `-wal` and `-shm` " +
      "at the end of their names writable for this process.",
  ],
  [
    "SQLITE_NOTADB",
    "The file is not an SQLite database, or it is encrypted. Pass the path of another file to your client of SQLite.",
  ],
  [
    "SQLITE_CORRUPT",
    "The database file is damaged. Restore it from a backup, or save what is readable with `.recover` of the sqlite3 shell.",
  ],
  [
    "SQLITE_FULL",
    "There is no room for the database. Free space on its disk, or raise `max_page_count`. Finished operations are deleted when their `retentionMs` is over.",
  ],
  [
    "SQLITE_IOERR",
    "The disk reports an error. If the file is on a network mount, move it to a local disk. Otherwise check the disk.",
  ],
  [
    "SQLITE_PROTOCOL",
    "The lock of the write-ahead log does not work. If the file is on a network mount, move it to a local disk.",
  ],
]);

/** Result codes of SQLite that the back end tells apart, by number. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [5, "SQLITE_BUSY"],
  [6, "SQLITE_LOCKED"],
  [7, "SQLITE_NOMEM"],
  [8, "SQLITE_READONLY"],
  [10, "SQLITE_IOERR"],
  [11, "SQLITE_CORRUPT"],
  [13, "SQLITE_FULL"],
  [14, "SQLITE_CANTOPEN"],
  [15, "SQLITE_PROTOCOL"],
  [18, "SQLITE_TOOBIG"],
  [19, "SQLITE_CONSTRAINT"],
  [20, "SQLITE_MISMATCH"],
  [26, "SQLITE_NOTADB"],
]);

/** The same result codes, by the texts that SQLite has for them. */
const NAMES_BY_MESSAGE: ReadonlyMap<string, string> = new Map([
  ["database is locked", "SQLITE_BUSY"],
  ["database table is locked", "SQLITE_LOCKED"],
  ["out of memory", "SQLITE_NOMEM"],
  ["attempt to write a readonly database", "SQLITE_READONLY"],
  ["disk I/O error", "SQLITE_IOERR"],
  ["database disk image is malformed", "SQLITE_CORRUPT"],
  ["database or disk is full", "SQLITE_FULL"],
  ["unable to open database file", "SQLITE_CANTOPEN"],
  ["locking protocol", "SQLITE_PROTOCOL"],
  ["file is not a database", "SQLITE_NOTADB"],
]);

/**
 * Returns the primary result code of an error, such as `SQLITE_BUSY`, or `""`. Some clients have it as text in `code`,
 * others as a number in `errcode`, and `exec` of Deno only as a message. Never throws, even if user code threw a hostile value.
 */
export function resultCodeOf(error: unknown): string {
  try {
    const { code, errcode, message } = error as Readonly<Record<"code" | "errcode" | "message", unknown>>;
    // The lower byte of an extended code is the primary code.
    if (typeof errcode === "number") return NAMES.get(errcode & 0xff) ?? "";
    if (code === "ERR_SQLITE_ERROR") return NAMES_BY_MESSAGE.get(String(message)) ?? "";
    // Errors of Durable Objects have it in the message only.
    const named =
      typeof code === "string" ? /^(SQLITE_[A-Z]+)/.exec(code) : /: (SQLITE_[A-Z]+)/.exec(String(message));
    return named?.[1] ?? "";
  } catch {
    return "";
  }
}

/** Whether another connection holds a lock that the statement needs. */
export function isBusy(error: unknown): boolean {
  return ["SQLITE_BUSY", "SQLITE_LOCKED"].includes(resultCodeOf(error));
}
