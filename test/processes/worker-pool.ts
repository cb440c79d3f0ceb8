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
import { onTestFinished } from "vitest";
import { until } from "./children.js";

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

/**
 * Creates a service whose store lives in this process, with worker processes that can be killed. They are killed at
 * the end of the test.
 */
export function createWorkerPool() {
  const backend = createMemoryBackend();
  const service = createOrderService({ backend, authorize: allowAnonymous() });
  const effects: { operationId: string; attempt: number }[] = [];
  const running = new Map<ChildProcess, Promise<unknown>>();
  let closing = false;
  onTestFinished(async () => {
    closing = true;
    for (const child of running.keys()) child.kill("SIGKILL");
    await Promise.all(running.values());
  });

  /** Starts a worker process. With `keep`, it is restarted whenever it ends. */
  async function startWorker({ keep = false } = {}) {
    const child = fork(new URL("worker-child.mjs", import.meta.url), { stdio: "inherit" });
    const events: ServiceEvent[] = [];
    /** Resolves to its exit code, or to null if it was killed. */
    const exited = once(child, "exit").then(([code]) => {
      running.delete(child);
      if (keep && !closing) void startWorker({ keep });
      return code as number | null;
    });
    running.set(child, exited);
    const ready = new Promise<void>((resolve) => {
      child.on("message", (message: Message) => {
        if ("ready" in message) resolve();
        else if ("event" in message) events.push(message.event);
        else if ("effect" in message) effects.push({ operationId: message.effect, attempt: message.attempt });
        else void answer(child, backend, message);
      });
    });
    await Promise.race([ready, exited]);
    return {
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      exited,
      untilLost: () => until(() => events.some(({ event }) => event === "attempt.lost")),
    };
  }

  async function read(id: string): Promise<Operation> {
    const operation = await backend.operations.get(id, "anonymous");
    if (operation === undefined) throw new Error(`operation ${id} does not exist`);
    return operation;
  }

  return {
    effects,
    startWorker,
    read,
    submit: async (itemId: string) => {
      const order = { itemId, quantity: 1 };
      return (await service.submit(service.definitions[0], order, { tenant: "anonymous" })).operationId;
    },
    /** Resolves when the work of an attempt has begun. */
    untilBegun: () => until(() => effects.length === 1),
    /** Resolves when all of these operations are terminal. */
    untilTerminal: async (...ids: readonly string[]) => {
      for (const id of ids) await until(async () => ["completed", "failed"].includes((await read(id)).state));
    },
  };
}

type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

async function answer(
  child: ChildProcess,
  backend: Backend,
  { call, port, method, args }: Extract<Message, { readonly call: number }>,
): Promise<void> {
  // The child may have been killed. A failed send is ignored.
  const reply = (message: object): boolean => child.connected && child.send(message, () => {});
  try {
    reply({ call, result: await (backend[port] as unknown as Methods)[method]?.(...args) });
  } catch (error) {
    reply({ call, error: isAsyncReplyError(error) ? error.message : String(error) });
  }
}
