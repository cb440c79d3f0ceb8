import { fork } from "node:child_process";
import { once } from "node:events";

/** Another process that uses an SQLite file, such as a shell or a backup. */
export type SqliteUser = ReturnType<typeof startSqliteUser>;

/** Starts a process that opens the file. */
export function startSqliteUser(path: string) {
  const child = fork(new URL("sqlite-user.mjs", import.meta.url), [path]);
  const exited = once(child, "exit");
  return {
    /** Runs SQL text. Call it again only after it has settled. */
    run: async (sql: string): Promise<void> => {
      child.send(sql);
      const [{ error }] = (await once(child, "message")) as [{ readonly error?: string }];
      if (error !== undefined) throw new Error(error);
    },
    /** Kills the process. SQLite rolls back its transaction. */
    close: async (): Promise<void> => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
