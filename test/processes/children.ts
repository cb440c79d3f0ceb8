import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** Creates processes of a program of this folder. They are killed at the end of the test. */
export function createChildren<Message extends object>(
  program: string,
  onMessage: (message: Message) => void,
) {
  const running = new Set<ChildProcess>();

  /** Kills a process with SIGKILL and waits for its end. */
  async function kill(child: ChildProcess): Promise<void> {
    running.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  /** Starts a process and waits until it is ready. */
  async function start(...args: readonly string[]): Promise<ChildProcess> {
    const child = fork(new URL(program, import.meta.url), args);
    running.add(child);
    const ready = new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`${program} ended early with ${code}.`)));
      child.on("message", (message: Message | { readonly ready: true }) => {
        if ("ready" in message) resolve();
        else onMessage(message);
      });
    });
    // A process that is killed later has already been ready.
    ready.catch(() => {});
    await ready;
    return child;
  }

  onTestFinished(async () => void (await Promise.all([...running].map(kill))));
  return { start, kill };
}

/** Resolves when the condition holds. Only the timeout of the test limits the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
