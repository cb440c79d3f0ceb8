import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { CaseResult } from "./inside/run-case.js";
import { programOf, type SuiteRun, type Transport, workerd } from "./matrix.js";
import { type Project, workers } from "./project.js";
import { startServer } from "./server-process.js";

const FILES: Readonly<Record<Transport, string>> = {
  sockets: "suite-over-sockets",
  "Request objects": "suite-over-requests",
};

/** Runs the adapter suite inside a runtime and returns the result of each case. */
export async function runSuite(project: Project, run: SuiteRun): Promise<readonly CaseResult[]> {
  const lines = run.runtime === workerd ? await runInWorker(project) : await runProgram(project, run);
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CaseResult);
}

async function runProgram(
  { folder, env }: Project,
  { runtime, transport, format }: SuiteRun,
): Promise<string> {
  const extension = format === "CommonJS" ? "cjs" : "mjs";
  const args = [...runtime.options, `${FILES[transport]}.${extension}`];
  const { stdout } = await promisify(execFile)(programOf(runtime), args, {
    cwd: folder,
    env,
    timeout: 200_000,
    killSignal: "SIGKILL",
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

async function runInWorker(project: Project): Promise<string> {
  const server = await startServer(project, {
    runtime: workerd,
    args: workerd.options,
    folder: workers.suite,
  });
  try {
    return await (await fetch(server.baseUrl)).text();
  } finally {
    await server.kill();
  }
}
