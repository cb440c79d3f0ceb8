import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { ADVICE } from "./advice.js";
import { resultCodeOf } from "./result-code.js";

interface Kind {
  readonly code: "STORE_UNAVAILABLE" | "OVERLOADED" | "CORRUPT_RECORD" | "INTERNAL";
  readonly detail: string;
}

const UNAVAILABLE: Kind = { code: "STORE_UNAVAILABLE", detail: "The store cannot be reached." };
const UNSTORABLE: Kind = { code: "INTERNAL", detail: "The database cannot store this data." };
const UNREADABLE: Kind = { code: "CORRUPT_RECORD", detail: "The store holds data that cannot be read." };

/** Creates a map instead of an object, because error codes can be any text. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["SQLITE_FULL", { code: "OVERLOADED", detail: "The store is full." }],
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
