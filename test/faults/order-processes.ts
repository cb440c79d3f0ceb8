import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { ServiceEvent, SettingsOptions, WorkerOptions } from "async-request-reply";
import type { PostgresBackendOptions } from "async-request-reply/postgres";

/** How a process of the order service is to be: see order-process.mjs. */
export interface ProcessOptions {
  readonly role: "api" | "worker" | "all";
  /** Of Postgres, or of what stands before it. */
  readonly url: string;
  /** Where it writes its effects to. Default `url`. */
  readonly ledgerUrl?: string;
  /** The point at which it kills itself: see crash-points.mjs. */
  readonly crashAt?: string;
  /** `SIGSTOP` has it stand still there until it gets SIGCONT. Default `SIGKILL`. */
  readonly crashBy?: "SIGKILL" | "SIGSTOP";
  /** The how many-th time that it gets there. Default 1. */
  readonly crashOn?: number;
  /** Claims the key and creates the operation one after the other, instead of in one commit. */
  readonly composed?: boolean;
  /** Writes its effects in the transaction that completes the operation. */
  readonly transactional?: boolean;
  readonly clockSkewMs?: number;
  /** How many connections of its pool hang in the database from the start. Default none. */
  readonly stuckConnections?: number;
  readonly slowMs?: number;
  /** Whether the process brings the schema up to its release: see `createPostgresBackend`. */
  readonly migrate?: "auto" | "manual";
  /** Calls the functions of the next release: see next-release.mjs and next-schema.ts. */
  readonly nextSchema?: boolean;
  /** Takes orders as the next release defines them: see next-release.mjs. */
  readonly nextContract?: boolean;
  readonly pool?: Readonly<Record<string, number | string>>;
  readonly backend?: Pick<PostgresBackendOptions<unknown>, "idleTransactionTimeoutMs">;
  readonly service?: Omit<SettingsOptions, "authorize">;
  readonly definition?: { readonly retentionMs: number };
  readonly worker?: WorkerOptions;
}

/** What a process weighs. */
export interface Weight {
  readonly heapUsed: number;
  /** Sockets, timers and whatever else keeps an event loop alive. */
  readonly handles: number;
}

/** A process of the order service, and what it has told so far. */
export interface OrderProcess {
  readonly baseUrl: string;
  readonly events: ServiceEvent[];
  /** The operations that its processor has begun to work on, once for each attempt. */
  readonly begun: string[];
  /** What Node warned of: leaks of listeners, above all. */
  readonly warnings: string[];
  kill(signal: NodeJS.Signals): void;
  running(): boolean;
  /** Whether it has begun to stop in good order. */
  stopping(): boolean;
  /** Resolves with its exit code, null when it was killed. */
  readonly exited: Promise<number | null>;
  weigh(): Promise<Weight>;
}

/** Processes that are all gone once it is closed. */
export interface OrderProcesses {
  start(options: ProcessOptions): Promise<OrderProcess>;
  close(): Promise<void>;
}

type Message =
  | { readonly listening: number }
  | { readonly event: ServiceEvent }
  | { readonly begun: string }
  | { readonly warning: string }
  | { readonly stopping: true }
  | (Weight & { readonly measured: number });

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
    const warnings: string[] = [];
    let stopping = false;
    const weights = new Map<number, (weight: Weight) => void>();
    const listening = new Promise<number>((resolve) => {
      child.on("message", (message: Message) => {
        if ("listening" in message) resolve(message.listening);
        else if ("event" in message) events.push(message.event);
        else if ("begun" in message) begun.push(message.begun);
        else if ("warning" in message) warnings.push(message.warning);
        else if ("stopping" in message) stopping = true;
        else weights.get(message.measured)?.(message);
      });
    });
    const early = exited.then((code) => {
      throw new Error(`the process ended with ${code} before it listened`);
    });
    const port = await Promise.race([listening, early]);
    // It may end whenever it likes from here on.
    early.catch(() => {});
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      events,
      begun,
      warnings,
      kill: (signal) => child.kill(signal),
      running: () => running.has(child),
      stopping: () => stopping,
      exited,
      weigh: () =>
        new Promise((resolve) => {
          weights.set(weights.size, resolve);
          child.send({ measure: weights.size - 1 });
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
