import { ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";

/**
 * Opens the file in which a reader keeps an output, as an application keeps it in its database: each part together with the
 * position after it. The file outlives a SIGKILL.
 */
export function openKept(path) {
  const file = openSync(path, "a+");
  const bytes = readFileSync(path);
  // A SIGKILL can leave a part of a line.
  const end = bytes.lastIndexOf("\n") + 1;
  ftruncateSync(file, end);
  const kept = { count: 0, position: "", closed: false };
  const apply = ({ at, chunks, position, closed }) => {
    if (closed) kept.closed = true;
    else Object.assign(kept, { count: at + chunks.length, position });
  };
  for (const line of bytes.subarray(0, end).toString().split("\n")) if (line !== "") apply(JSON.parse(line));
  return {
    kept,
    /** Keeps a part, or the end. */
    keep: (line) => {
      writeSync(file, `${JSON.stringify(line)}\n`);
      apply(line);
    },
  };
}
