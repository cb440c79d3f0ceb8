import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { CaseResult } from "./inside/run-case.js";
import { programOf, type Runtime, type SuiteRun, workerd } from "./matrix.js";
import { type Project, workers } from "./project.js";
import { startServer } from "./server-process.js";

/** Runs the adapter suite inside a runtime and returns the result of each case. */
export async function runSuite(project: Project, run: SuiteRun): Promise<readonly CaseResult[]> {
  const { runtime, transport, format } = run;
  if (runtime === workerd) return resultsIn(await runInWorker(project));
  const name = transport === "sockets" ? "suite-over-sockets" : "suite-over-requests";
  return resultsIn(await runProgram(project, runtime, [`${name}.${format === "CommonJS" ? "cjs" : "mjs"}`]));
}

/** Runs a program of the project to its end, and returns what it prints. */
export async function runProgram(
  { folder, env }: Project,
  runtime: Runtime,
  args: readonly string[],
): Promise<string> {
  const { stdout } = await promisify(execFile)(programOf(runtime), [...runtime.options, ...args], {
    cwd: folder,
    env,
    timeout: 200_000,
    killSignal: "SIGKILL",
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

/** Reads the lines of a program that prints one result each. */
export function resultsIn(lines: string): readonly CaseResult[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CaseResult);
}

async function runInWorker(project: Project): Promise<string> {
  const program = { runtime: workerd, args: workerd.options, folder: workers.suite };
  const server = await startServer(project, program);
  try {
    return await (await fetch(server.baseUrl)).text();
  } finally {
    await server.kill();
  }
}
