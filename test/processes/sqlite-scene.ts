import { onTestFinished } from "vitest";
import type { SqliteClient } from "../support/sqlite/clients.js";
import { newDatabaseFile } from "../support/sqlite/database-files.js";
import { createChildren } from "./children.js";

/** Message of a child process. */
type ChildMessage =
  | { readonly accepted: string; readonly id: string }
  | { readonly refused: string; readonly status: number }
  | { readonly ran: string; readonly attempt: number };

/** Creates an SQLite file for processes, which lasts until the end of the test. */
export function createScene(client: SqliteClient) {
  const file = newDatabaseFile(client);
  onTestFinished(() => file.remove());
  const messages: ChildMessage[] = [];
  /** Ids of operations by the keys of their orders. */
  const accepted = new Map<string, string>();
  const { start, kill } = createChildren<ChildMessage>("sqlite-child.mjs", (message) => {
    messages.push(message);
    if ("accepted" in message) accepted.set(message.accepted, message.id);
  });
  return {
    file,
    messages,
    accepted,
    kill,
    start: (role: "api" | "worker" | "transactor") => start(client.name, file.path, role),
  };
}
