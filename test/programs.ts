import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

/** What a program did with what it was given. */
export interface Ran {
  readonly status: number | null;
  /** stdout and stderr. */
  readonly output: string;
}

/** Runs an installed program to its end, with a text on its stdin. */
export function runProgram(program: string, args: readonly string[], input = ""): Ran {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", input });
  return { status, output: stdout + stderr };
}

/**
 * Declares tests that run an installed program, which a Debian package brings. Without it they are skipped by name; with `CI`
 * set its absence is a failure.
 */
export function describeProgram(program: string, debianPackage: string, declare: () => void): void {
  if (spawnSync(program, ["--version"]).error === undefined) {
    describe(program, declare);
  } else {
    it.skipIf(!process.env.CI)(program, () => {
      expect.unreachable(`${program} is missing: it is in the Debian package ${debianPackage}`);
    });
  }
}
