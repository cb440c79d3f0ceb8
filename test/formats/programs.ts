import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

/** Runs an installed program with `input` on its stdin. Its output is stdout, followed by stderr. */
export function runProgram(program: string, args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", input });
  return { status, output: stdout + stderr };
}

/**
 * Declares tests that run a program of a Debian package. Without the program they are skipped by name, or fail if `CI`
 * is set.
 */
export function describeProgram(program: string, debianPackage: string, declare: () => void): void {
  if (spawnSync(program, ["--version"]).error === undefined) {
    describe(program, declare);
  } else {
    it.skipIf(!process.env.CI)(program, () => {
      expect.unreachable(`${program} is missing. Install the Debian package ${debianPackage}.`);
    });
  }
}
