import { resolve } from "node:path";
import type { Backend } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { closing } from "./closing.js";
import { StartError } from "./start-error.js";

/**
 * Opens a file as a database inside this process. Creates the file if it is missing. The back end creates missing tables.
 *
 * @throws StartError if the file cannot be opened
 */
export async function openSqlite(address: string): Promise<Backend> {
  const { default: Database } = await import("libsql");
  const file = resolve(address.slice("sqlite:".length));
  const database = open(() => new Database(file), file);
  return closing(createSqliteBackend({ database }), () => void database.close());
}

function open<Opened>(create: () => Opened, file: string): Opened {
  try {
    return create();
  } catch {
    // The message of the client is a code, and the path.
    throw new StartError(
      `BACKEND: The file ${file} cannot be opened. Make sure that its folder exists and is writable.`,
    );
  }
}
