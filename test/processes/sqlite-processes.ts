import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** Message of a child process. */
export type ChildMessage =
  | { readonly ready: true }
  | { readonly accepted: string; readonly id: string }
  | { readonly refused: string; readonly status: number }
  | { readonly ran: string; readonly attempt: number };

type Role = "api" | "worker" | "transactor";

/** Processes that share an SQLite file. */
export interface SqliteProcesses {
  /** Starts a process and waits until it is ready. */
  start(role: Role): Promise<ChildProcess>;
  /** Kills a process with SIGKILL and waits for its end. */
  kill(child: ChildProcess): Promise<void>;
  /** Kills all processes. */
  close(): Promise<void>;
}

/** Creates processes that use a client by its name. */
export function createSqliteProcesses(
  client: string,
  path: string,
  onMessage: (message: ChildMessage) => void,
): SqliteProcesses {
  const running = new Set<ChildProcess>();
  const kill = async (child: ChildProcess): Promise<void> => {
    running.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  return {
    kill,
    start: async (role) => {
      const child = fork(new URL("sqlite-child.mjs", import.meta.url), [client, path, role]);
      running.add(child);
      const ready = new Promise<void>((resolve, reject) => {
        child.once("exit", (code) => reject(new Error(`The ${role} process ended early with ${code}.`)));
        child.on("message", (message: ChildMessage) => {
          if ("ready" in message) resolve();
          else onMessage(message);
        });
      });
      // A process that is killed later has already been ready.
      ready.catch(() => {});
      await ready;
      return child;
    },
    close: async () => {
      await Promise.all([...running].map(kill));
    },
  };
}
