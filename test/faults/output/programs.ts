import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A process of this folder. */
export interface Program {
  readonly child: ChildProcess;
  /** Result of its start: the port of an API. */
  readonly started: number;
  /** Resolves to its exit code, or to null if it was killed. */
  readonly exited: Promise<number | null>;
  /** Kills it with SIGKILL, and waits for its end. */
  kill9(): Promise<void>;
}

/** An operation that a test has submitted. */
export interface OutputOperation {
  readonly definition: string;
  readonly id: string;
}

/** Options of a process: see the programs. */
export type ProgramOptions = { readonly url: string } & (
  | (Contract & { readonly role: "api"; readonly port?: number })
  | (Contract & {
      readonly role: "worker";
      /** File that it writes everything to. */
      readonly ledger: string;
    })
  | {
      readonly role: "reader";
      readonly way: string;
      /** Folder of what it keeps. */
      readonly folder: string;
      readonly baseUrls: readonly string[];
    }
  | { readonly role: "import" }
);

/** How a process defines its operations. */
interface Contract {
  /** Whether their work has output. Default: true. */
  readonly outputs?: boolean;
  readonly retentionMs?: number;
}

/** The programs of the roles. */
const PROGRAMS = {
  api: "process.mjs",
  worker: "process.mjs",
  reader: "reader.mjs",
  import: "import-process.mjs",
} as const;

/**
 * Starts a process, and waits until it works.
 *
 * @param folder Folder of this program in the build that it uses. Default: that of this checkout.
 */
export async function startProgram(
  options: ProgramOptions,
  onMessage: (message: object) => void = () => {},
  folder: string = import.meta.dirname,
): Promise<Program> {
  const child = fork(join(folder, PROGRAMS[options.role]), [JSON.stringify(options)], {
    stdio: "inherit",
    // Those of the test would load parts of Vitest.
    execArgv: [],
  });
  const exited = once(child, "exit").then(([code]) => code as number | null);
  child.on("message", onMessage);
  const first = await Promise.race([once(child, "message"), exited]);
  if (!Array.isArray(first)) throw new Error(`A process ended with ${first} before it started.`);
  const kill9 = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  return { child, started: (first[0] as { readonly started: number }).started, exited, kill9 };
}
