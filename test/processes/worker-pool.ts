import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createOrderService,
  isAsyncReplyError,
  type ServiceEvent,
} from "async-request-reply";
import type { Operation } from "async-request-reply/ports";

/** A worker process and its events. */
interface WorkerProcess {
  readonly child: ChildProcess;
  readonly events: ServiceEvent[];
  kill(signal: NodeJS.Signals): void;
  /** Resolves to its exit code, or to null if it was killed. */
  readonly exited: Promise<number | null>;
}

/** A service whose store lives in this process, with worker processes that can be killed. */
export interface WorkerPool {
  readonly effects: { readonly operationId: string; readonly attempt: number }[];
  submit(itemId: string): Promise<string>;
  read(id: string): Promise<Operation>;
  /** Starts a worker process. With `keep`, it is restarted whenever it ends. */
  startWorker(options?: { readonly keep?: boolean }): Promise<WorkerProcess>;
  close(): Promise<void>;
}

type Message =
  | { readonly ready: true }
  | { readonly event: ServiceEvent }
  | { readonly effect: string; readonly attempt: number }
  | {
      readonly call: number;
      readonly port: "operations" | "submissions";
      readonly method: string;
      readonly args: never[];
    };

export function createWorkerPool(): WorkerPool {
  const backend = createMemoryBackend();
  const service = createOrderService({ backend, authorize: allowAnonymous() });
  const effects: { operationId: string; attempt: number }[] = [];
  const running = new Set<ChildProcess>();
  let closing = false;

  async function startWorker({ keep = false } = {}): Promise<WorkerProcess> {
    const child = fork(new URL("worker-child.mjs", import.meta.url), { stdio: "inherit" });
    running.add(child);
    const events: ServiceEvent[] = [];
    const exited = once(child, "exit").then(([code]) => {
      running.delete(child);
      if (keep && !closing) void startWorker({ keep });
      return code as number | null;
    });
    const ready = new Promise<void>((resolve) => {
      child.on("message", (message: Message) => {
        if ("ready" in message) resolve();
        else if ("event" in message) events.push(message.event);
        else if ("effect" in message) effects.push({ operationId: message.effect, attempt: message.attempt });
        else void answer(child, backend, message);
      });
    });
    await Promise.race([ready, exited]);
    return { child, events, kill: (signal) => child.kill(signal), exited };
  }

  return {
    effects,
    startWorker,
    submit: async (itemId) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ itemId, quantity: 1 });
      const reply = await service.handle({ method: "POST", path: "/orders", headers, body });
      return (reply.headers.location ?? "").slice("/operations/".length);
    },
    read: async (id) => {
      const operation = await backend.operations.get(id, "anonymous");
      if (operation === undefined) throw new Error(`operation ${id} does not exist`);
      return operation;
    },
    close: async () => {
      closing = true;
      await Promise.all(
        [...running].map((child) => {
          const gone = once(child, "exit");
          child.kill("SIGKILL");
          return gone;
        }),
      );
    },
  };
}

/** Resolves when the condition holds. Only the timeout of the test limits the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Resolves when all of these operations are terminal. */
export async function untilTerminal(pool: WorkerPool, ...ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await until(async () => ["completed", "failed"].includes((await pool.read(id)).state));
}

async function answer(
  child: ChildProcess,
  backend: Backend,
  { call, port, method, args }: Extract<Message, { readonly call: number }>,
): Promise<void> {
  // The child may have been killed. A failed send is ignored.
  const reply = (message: object): boolean => child.connected && child.send(message, () => {});
  try {
    reply({ call, result: await invoke(backend[port], method, args) });
  } catch (error) {
    reply({ call, error: isAsyncReplyError(error) ? error.message : String(error) });
  }
}

function invoke(port: object, method: string, args: readonly never[]): Promise<unknown> {
  return (
    (port as Record<string, (...values: never[]) => Promise<unknown>>)[method]?.(...args) ?? Promise.resolve()
  );
}
