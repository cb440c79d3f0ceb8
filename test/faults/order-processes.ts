import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { defineOrders, ServiceEvent, WorkerOptions } from "async-request-reply";
import type { SettingsOptions } from "async-request-reply/ports";
import type { PostgresBackendOptions } from "async-request-reply/postgres";
import type { SqliteBackendOptions } from "async-request-reply/sqlite";

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
  /** Whether the process applies migrations: see `createPostgresBackend`. */
  readonly migrate?: "auto" | "manual";
  /** Calls the functions of the next release: see next-release.mjs and next-schema.ts. */
  readonly nextSchema?: boolean;
  /** Uses the order contract of the next release: see next-release.mjs. */
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
export interface OrderProcess {
  readonly pid: number | undefined;
  readonly baseUrl: string;
  readonly events: ServiceEvent[];
  /** Operation ids of the attempts that its processor has begun. */
  readonly begun: string[];
  /** Operation ids of each list that it has submitted. */
  readonly imported: (readonly string[])[];
  /** Warnings of Node, such as listener leaks. */
  readonly warnings: string[];
  kill(signal: NodeJS.Signals): void;
  running(): boolean;
  /** Whether it has begun to shut down. */
  stopping(): boolean;
  /** Resolves to its exit code, or to null if it was killed. */
  readonly exited: Promise<number | null>;
  measure(): Promise<ResourceUse>;
}

/** Starts processes. `close` kills all of them. */
export interface OrderProcesses {
  start(options: ProcessOptions): Promise<OrderProcess>;
  close(): Promise<void>;
}

type Message =
  | { readonly listening: number }
  | { readonly event: ServiceEvent }
  | { readonly begun: string }
  | { readonly imported: readonly string[] }
  | { readonly warning: string }
  | { readonly stopping: true }
  | (ResourceUse & { readonly measured: number });

export function createOrderProcesses(): OrderProcesses {
  const running = new Map<ChildProcess, Promise<unknown>>();

  async function start(options: ProcessOptions): Promise<OrderProcess> {
    const program = new URL("order-process.mjs", import.meta.url);
    const child = fork(program, [JSON.stringify(options)], { execArgv: ["--expose-gc"], stdio: "inherit" });
    const exited = once(child, "exit").then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
    running.set(child, exited);
    const events: ServiceEvent[] = [];
    const begun: string[] = [];
    const imported: (readonly string[])[] = [];
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
      pid: child.pid,
      baseUrl: `http://127.0.0.1:${port}`,
      events,
      begun,
      imported,
      warnings,
      kill: (signal) => child.kill(signal),
      running: () => running.has(child),
      stopping: () => stopping,
      exited,
      measure: () =>
        new Promise((resolve) => {
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
