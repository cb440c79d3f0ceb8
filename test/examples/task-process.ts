import { onTestFinished, vi } from "vitest";
import { freePort } from "../support/free-port.js";
import { collectLines, type Lines } from "../support/lines.js";
import { exitOf, spawnExample } from "../support/orders-server-process.js";

/** A running program of `examples/tasks`. */
export interface TaskProcess {
  readonly baseUrl: string;
  readonly stdout: Lines;
  /** Sends SIGTERM and resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a built program on a free port and kills it after the test. Its environment has the given variables only. */
export async function startTask(
  program: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<TaskProcess> {
  const port = await freePort();
  const child = spawnExample(`tasks/dist/${program}`, { PORT: String(port), ...variables });
  const stdout = collectLines(child.stdout);
  const exited = exitOf(child, stdout, collectLines(child.stderr));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    stdout,
    stop: async () => {
      child.kill("SIGTERM");
      return (await exited).code;
    },
  };
}

/** Starts a built program and waits until it serves HTTP. */
export async function startTaskServer(...given: Parameters<typeof startTask>): Promise<TaskProcess> {
  const task = await startTask(...given);
  const answers = (): Promise<boolean> =>
    fetch(task.baseUrl).then(
      () => true,
      () => false,
    );
  await vi.waitUntil(answers, { interval: 25 });
  return task;
}
