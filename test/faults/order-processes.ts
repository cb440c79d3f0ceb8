import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { defineOrders, ServiceEvent, WorkerOptions } from "async-request-reply";
import type { SettingsOptions } from "async-request-reply/ports";
import type { PostgresBackendOptions } from "async-request-reply/postgres";
import type { SqliteBackendOptions } from "async-request-reply/sqlite";
import { expect } from "vitest";

type OrderOptions = NonNullable<Parameters<typeof defineOrders>[0]>;

/** Options of a process of the order service: see order-process.mjs. */
export interface ProcessOptions {
  readonly role: "api" | "worker" | "all";
  /** URL of Postgres or of a proxy in front of it, or `sqlite:` and the path of a file. */
  readonly url: string;
  /**
   * URL of a message broker or of a proxy in front of it, or the URLs of a cluster: see open-queue.mjs. Default: the
   * queue of the store.
   */
  readonly queue?: string | readonly string[];
  /** Options of the queue, if `queue` is set. */
  readonly broker?: { readonly timeoutMs?: number; readonly replicas?: number };
  /** URL of the database for effects. Default: `url`, or a second file. */
  readonly ledgerUrl?: string;
  /** Point at which the process kills itself: see crash-points.mjs. */
  readonly crashAt?: string;
  /** `SIGSTOP` pauses the process there until it gets SIGCONT. Default: `SIGKILL`. */
  readonly crashBy?: "SIGKILL" | "SIGSTOP";
  /** Crashes only when the point is reached for the nth time. Default: 1. */
  readonly crashOn?: number;
  /** Writes its effects in the transaction that completes the operation. */
  readonly transactional?: boolean;
  readonly clockSkewMs?: number;
  /** Number of pool connections that hang in the database from the start. Default: 0. */
  readonly stuckConnections?: number;
  readonly slowMs?: number;
  /** Lists that the process submits when it starts. Default: none. */
  readonly lists?: { readonly count: number; readonly size: number };
  /** Uses the order contract of the next release: see next-orders.mjs. */
  readonly nextContract?: boolean;
  readonly pool?: Readonly<Record<string, number | string>>;
  /** Options of the back end, if the store is Postgres. */
  readonly backend?: Pick<PostgresBackendOptions<unknown>, "idleTransactionTimeoutMs">;
  /** Options of the back end, if the store is an SQLite file. */
  readonly sqlite?: Pick<SqliteBackendOptions, "lockTimeoutMs">;
  readonly service?: Omit<SettingsOptions, "authorize">;
  readonly definition?: Pick<OrderOptions, "retentionMs" | "cancellable" | "limits">;
  /** Number of lanes that orders are divided among. Default: no lanes. */
  readonly lanes?: number;
  readonly worker?: WorkerOptions;
}

/** Memory and handles that a process uses. */
export interface ResourceUse {
  /** Bytes. */
  readonly heapUsed: number;
  /** Number of sockets, timers and other resources that keep the event loop alive. */
  readonly handles: number;
}

/** A process of the order service, and everything it has reported so far. */
export type OrderProcess = Awaited<ReturnType<ReturnType<typeof createOrderProcesses>["start"]>>;

type Message =
  | { readonly listening: number }
  | { readonly event: ServiceEvent }
  | { readonly begun: string }
  | { readonly imported: readonly string[] }
  | { readonly warning: string }
  | { readonly stopping: true }
  | (ResourceUse & { readonly measured: number });

/** Starts processes. `close` kills all of them. */
export function createOrderProcesses() {
  const running = new Map<ChildProcess, Promise<unknown>>();

  async function start(options: ProcessOptions) {
    const program = new URL("order-process.mjs", import.meta.url);
    const child = fork(program, [JSON.stringify(options)], { execArgv: ["--expose-gc"], stdio: "inherit" });
    /** Resolves to its exit code, or to null if it was killed. */
    const exited = once(child, "exit").then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
    running.set(child, exited);
    const events: ServiceEvent[] = [];
    /** Operation ids of the attempts that its processor has begun. */
    const begun: string[] = [];
    /** Operation ids of each list that it has submitted. */
    const imported: (readonly string[])[] = [];
    /** Warnings of Node, such as listener leaks. */
    const warnings: string[] = [];
    let stopping = false;
    const measuring = new Map<number, (use: ResourceUse) => void>();
    const listening = new Promise<number>((resolve) => {
      child.on("message", (message: Message) => {
        if ("listening" in message) resolve(message.listening);
        else if ("event" in message) events.push(message.event);
        else if ("begun" in message) begun.push(message.begun);
        else if ("imported" in message) imported.push(message.imported);
        else if ("warning" in message) warnings.push(message.warning);
        else if ("stopping" in message) stopping = true;
        else measuring.get(message.measured)?.(message);
      });
    });
    const early = exited.then((code) => {
      throw new Error(`the process ended with ${code} before it listened`);
    });
    const port = await Promise.race([listening, early]);
    // From here on the process may end at any time.
    early.catch(() => {});
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      events,
      begun,
      imported,
      warnings,
      exited,
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      /** Kills it with SIGKILL and waits for its end. */
      kill9: async () => {
        child.kill("SIGKILL");
        await exited;
      },
      /** Sends SIGTERM and waits for its end. Resolves to its exit code. */
      stop: () => {
        child.kill("SIGTERM");
        return exited;
      },
      running: () => running.has(child),
      /** Whether it has begun to shut down. */
      stopping: () => stopping,
      measure: () =>
        new Promise<ResourceUse>((resolve) => {
          measuring.set(measuring.size, resolve);
          child.send({ measure: measuring.size - 1 });
        }),
    };
  }

  return {
    start,
    close: async () => {
      for (const child of running.keys()) child.kill("SIGKILL");
      await Promise.all(running.values());
    },
  };
}

/** Kills processes with SIGKILL. */
export async function killAll(processes: readonly OrderProcess[]): Promise<void> {
  await Promise.all(processes.map((process) => process.kill9()));
}

/** Stops processes with SIGTERM, and checks that they exit with 0. */
export async function stopAll(processes: readonly OrderProcess[]): Promise<void> {
  expect(await Promise.all(processes.map((process) => process.stop()))).toEqual(processes.map(() => 0));
}

/** Returns the errors in the events of processes. */
export function errorsOf(...processes: readonly OrderProcess[]): readonly string[] {
  return processes
    .flatMap(({ events }) => events)
    .flatMap((each) => ("error" in each ? [String(each.error)] : []));
}

/** Counts the events of a kind in processes. */
export function countEvents(name: ServiceEvent["event"], processes: readonly OrderProcess[]): number {
  return processes.flatMap(({ events }) => events).filter(({ event }) => event === name).length;
}
