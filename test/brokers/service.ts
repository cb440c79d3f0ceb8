import {
  allowAnonymous,
  type Backend,
  createService,
  createWorker,
  defineOperation,
  type Observer,
  type RunSummary,
  type Worker,
  type WorkerOptions,
} from "async-request-reply";
import * as z from "zod";

/** Two definitions, because brokers keep a queue for each. */
export const orders = defineOperation({ name: "orders", path: "/orders", input: z.number() });
export const reports = defineOperation({ name: "reports", path: "/reports", input: z.number() });
const definitions = [orders, reports] as const;

/** Work that a test can hold up. It records which worker ran which operation. */
export interface Work {
  /** Operations by the worker that ran them, in order. An operation that runs twice is listed twice. */
  readonly ran: Map<string, string[]>;
  /** Starts a worker. Its processors wait for `until`. */
  start(name: string, backend: Backend, until?: Promise<void>, options?: WorkerOptions): Promise<Worker>;
  /** Creates a worker and calls its `runUntilIdle`. */
  runUntilIdle(name: string, backend: Backend, options?: WorkerOptions): Promise<RunSummary>;
  /** All operations that ran, in no order. */
  all(): readonly string[];
  /** Stops all workers. */
  stop(): Promise<void>;
}

/** Creates the work of one test. */
export function createWork(observe: Observer | false = false): Work {
  const ran = new Map<string, string[]>();
  const workers: Worker[] = [];

  function create(name: string, backend: Backend, until: Promise<void>, options: WorkerOptions): Worker {
    const own: string[] = [];
    ran.set(name, own);
    const run = async (_: number, { operationId }: { readonly operationId: string }): Promise<void> => {
      own.push(operationId);
      await until;
    };
    const worker = createWorker(
      { backend, definitions, observe },
      { orders: run, reports: run },
      { drainTimeoutMs: 1_000, ...options },
    );
    workers.push(worker);
    return worker;
  }

  return {
    ran,
    start: async (name, backend, until = Promise.resolve(), options = {}) => {
      const worker = create(name, backend, until, options);
      await worker.start();
      return worker;
    },
    runUntilIdle: (name, backend, options = {}) =>
      create(name, backend, Promise.resolve(), options).runUntilIdle(),
    all: () => [...ran.values()].flat(),
    stop: async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    },
  };
}

/** Submits operations in process. */
export interface Submitter {
  /** Submits one operation and returns its id. */
  submit(definition?: typeof orders | typeof reports): Promise<string>;
  /** Returns the states of all submitted operations. */
  states(): Promise<readonly string[]>;
  /** Waits for rings on their way. */
  close(): Promise<void>;
}

/** Creates a service that only accepts. */
export function createSubmitter(backend: Backend, observe: Observer | false = false): Submitter {
  const service = createService({ backend, definitions, authorize: allowAnonymous(), observe });
  const submitted: { readonly definition: typeof orders | typeof reports; readonly id: string }[] = [];
  return {
    submit: async (definition = orders) => {
      const { operationId } =
        definition === orders
          ? await service.submit(orders, 1, { tenant: "a" })
          : await service.submit(reports, 1, { tenant: "a" });
      submitted.push({ definition, id: operationId });
      return operationId;
    },
    states: async () => {
      const found = await backend.operations.getMany(submitted.map(({ id }) => id));
      return [...(found ?? [])].map((operation) => operation?.state ?? "unknown");
    },
    close: () => service.close(),
  };
}
