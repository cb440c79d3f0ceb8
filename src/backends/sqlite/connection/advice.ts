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
