import { nodes, type Runtime } from "../../runtimes/matrix.js";
import type { SourceFile } from "../project.js";
import type { Server } from "../server.js";
import { keepsPlugins, leavesOtherPaths } from "./plugins.js";

/** A program that a page shows, with what a user would have around it. */
export interface Application {
  readonly name: string;
  readonly files: readonly SourceFile[];
  readonly runtime: Runtime;
  /** Arguments of the program that builds the files, before it runs. Default: the files run as they are. */
  readonly build?: readonly string[];
  /** Arguments of the program that serves. */
  readonly serve: readonly string[];
  /** Variables of the environment of that program. Default: none. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly mounted: Mounted;
  /** Exit code, or the signal that ends the process, after a shutdown in order. */
  readonly endsWith: 0 | "SIGTERM";
  /** Promises of this framework only. */
  readonly own: readonly Behavior[];
  /** How it ends on SIGTERM. Default: it finishes requests in progress. */
  readonly ending?: Behavior;
  /** How it differs on the previous major version of the framework. Absent: it is tested on the current one only. */
  readonly previous?: Partial<Application>;
}

/** The path at which the service accepts work, and bodies for it. */
export interface Mounted {
  /** Path of the definition, with the base path. */
  readonly path: string;
  readonly body: string;
  /** A body that `JSON.parse` accepts, and that the service must refuse. */
  readonly repeatedMember: string;
  readonly result: unknown;
}

/** A promise about a running application, and how to check it. */
export interface Behavior {
  readonly name: string;
  run(server: Server, application: Application): Promise<void>;
}

const nodeOf = (major: number): Runtime => nodes.find(({ name }) => name === `Node ${major}`) as Runtime;

/** The oldest supported version of Node. */
export const oldest: Runtime = nodeOf(20);

/** For frameworks that need a later one: the newest with long-term support. */
export const newest: Runtime = nodeOf(24);

/** Adds what most applications have: the order service at the root, other paths and plugins, on the oldest Node. */
export function application(
  given: Pick<Application, "name" | "files" | "serve"> & Partial<Application>,
): Application {
  const own = [leavesOtherPaths, ...keepsPlugins];
  return { runtime: oldest, mounted: ordersAt(""), endsWith: 0, own, ...given };
}

/** The program of the quick start. */
export function reportsAt(basePath: string): Mounted {
  return {
    path: `${basePath}/reports`,
    body: '{"year":2026}',
    repeatedMember: '{"year":2025,"year":2026}',
    result: { pages: 27 },
  };
}

/** The order service. */
export function ordersAt(basePath: string): Mounted {
  return {
    path: `${basePath}/orders`,
    body: '{"itemId":"book","quantity":2}',
    repeatedMember: '{"itemId":"book","quantity":1,"quantity":2}',
    result: { shipped: 2, itemId: "book" },
  };
}
