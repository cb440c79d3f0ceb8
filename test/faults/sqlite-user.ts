import { fork } from "node:child_process";
import { once } from "node:events";

/** Another process that uses an SQLite file, such as a shell or a backup. */
export interface SqliteUser {
  /** Runs SQL text. Call it again only after it has settled. */
  run(sql: string): Promise<void>;
  /** Kills the process. SQLite rolls back its transaction. */
  close(): Promise<void>;
}

/** Starts a process that opens the file. */
export function startSqliteUser(path: string): SqliteUser {
  const child = fork(new URL("sqlite-user.mjs", import.meta.url), [path]);
  const exited = once(child, "exit");
  return {
    run: async (sql) => {
      child.send(sql);
      const [{ error }] = (await once(child, "message")) as [{ readonly error?: string }];
      if (error !== undefined) throw new Error(error);
    },
    close: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
