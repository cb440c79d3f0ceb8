import { type ExecFileOptions, execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const programs = join(import.meta.dirname, "node_modules/.bin");

/** The versions of all tools, by their names. */
export const versions: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "package.json"), "utf8"),
).dependencies;

/** Declares tests that need a tool. If it is not installed, they are skipped by name, or fail if `CI` is set. */
export function describeWithTool(tool: string, name: string, declare: () => void): void {
  if (existsSync(join(programs, tool))) {
    describe(name, declare);
  } else {
    it.skipIf(!process.env.CI)(`${name} (needs ${tool})`, () => {
      expect.unreachable(`${tool} is missing. Run \`npm ci --prefix test/tools\`.`);
    });
  }
}

/** The output of a tool, and whether it succeeded. */
export interface Finding {
  readonly succeeded: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a tool to its end, with Node in one of the folders of `path`. */
export function runTool(
  tool: string,
  args: readonly string[],
  cwd: string,
  path: string | undefined = process.env.PATH,
): Promise<Finding> {
  const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", DO_NOT_TRACK: "1" };
  return execute(join(programs, tool), args, { cwd, env: { ...process.env, ...quiet, PATH: path } });
}

/** Runs a program to its end. Never rejects. */
export function execute(
  program: string,
  args: readonly string[],
  options: ExecFileOptions,
): Promise<Finding> {
  return new Promise((resolve) => {
    execFile(program, args, { ...options, encoding: "utf8", maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ succeeded: error === null, stdout, stderr }),
    );
  });
}
