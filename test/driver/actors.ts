import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../support/built.js";

/** A build of the package that processes use. */
export interface Build {
  /** The names of its processes begin with it. */
  readonly name: string;
  /** Folder of the package. It also has the programs of the driver, so that Node resolves their imports to this build. */
  readonly folder: string;
}

/** The build of this checkout. */
export const thisBuild: Build = { name: "p", folder: root };

/** A process of the driver. */
export interface Actor {
  readonly name: string;
  readonly role: Role;
  readonly build: Build;
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
}

/** A worker claims all the time, and a function works in runs. */
export type Role = "worker" | "function";

/** A process has to know this: see process.mjs. */
interface ActorOptions {
  readonly name: string;
  readonly role: Role;
  readonly url: string;
  readonly queueUrl: string | undefined;
  /** File that it writes everything to. */
  readonly ledger: string;
  readonly seed: number;
  readonly listen: boolean;
  /** Number of keys that all processes share. */
  readonly keys: number;
  readonly clockOrigin: number;
}

/** Starts a process, and waits until it works. */
export async function startActor(build: Build, options: ActorOptions): Promise<Actor> {
  const { name, role } = options;
  const program = join(build.folder, "test/driver/process.mjs");
  const child = fork(program, [JSON.stringify(options)], { stdio: "inherit" });
  const exited = once(child, "exit");
  const [first, signal] = await Promise.race([once(child, "message"), exited]);
  if (first !== "started") throw new Error(`process ${name} ended with ${signal ?? first} before it started`);
  return { name, role, build, child, exited };
}

/** Lets a process only work. */
export async function quiet({ child }: Actor): Promise<void> {
  const answered = once(child, "message");
  child.send("quiet");
  await answered;
}

/** Stops a process, and waits for its end. */
export async function stop({ child, exited }: Actor): Promise<void> {
  child.send("stop");
  await exited;
}
