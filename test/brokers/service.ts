import {
  allowAnonymous,
  type Backend,
  createService,
  createWorker,
  defineOperation,
  type Observer,
  type Worker,
  type WorkerOptions,
} from "async-request-reply";
import { onTestFinished } from "vitest";
import * as z from "zod";

/** Two definitions, because brokers keep a queue for each. */
export const orders = defineOperation({ name: "orders", path: "/orders", input: z.number() });
export const reports = defineOperation({ name: "reports", path: "/reports", input: z.number() });
const definitions = [orders, reports] as const;

/** Work that a test can hold up. It records which worker ran which operation. */
export type Work = ReturnType<typeof createWork>;

/** Creates the work of one test. */
export function createWork(observe: Observer | false = false) {
  /** Operations by the worker that ran them, in order. An operation that runs twice is listed twice. */
  const ran = new Map<string, string[]>();
  const workers: Worker[] = [];

  /** Stops all workers, before the end of the test. */
  const stop = async (): Promise<void> => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  };
  onTestFinished(stop);
  return {
    ran,
    stop,
    /** Starts a worker. Its processors wait for `until`. */
    start: async (name: string, backend: Backend, until = Promise.resolve(), options: WorkerOptions = {}) => {
      const own: string[] = [];
      ran.set(name, own);
      const run = async (_: number, { operationId }: { readonly operationId: string }): Promise<void> => {
        own.push(operationId);
        await until;
      };
      const source = { backend, definitions, observe };
      const worker = createWorker(
        source,
        { orders: run, reports: run },
        { drainTimeoutMs: 1_000, ...options },
      );
      workers.push(worker);
      await worker.start();
      return worker;
    },
    /** All operations that ran, in no order. */
    all: () => [...ran.values()].flat(),
  };
}

/** Submits operations in process. */
export type Submitter = ReturnType<typeof createSubmitter>;

/** Creates a service that only accepts. */
export function createSubmitter(backend: Backend, observe: Observer | false = false) {
  const service = createService({ backend, definitions, authorize: allowAnonymous(), observe });
  const submitted: string[] = [];
  return {
    /** Submits one operation and returns its id. */
    submit: async (definition: typeof orders | typeof reports = orders) => {
      const { operationId } =
        definition === orders
          ? await service.submit(orders, 1, { tenant: "a" })
          : await service.submit(reports, 1, { tenant: "a" });
      submitted.push(operationId);
      return operationId;
    },
    /** Returns the states of all submitted operations. */
    states: async () => {
      const found = await backend.operations.getMany(submitted);
      return found.map(({ state }) => state);
    },
    /** Waits for rings on their way. */
    close: () => service.close(),
  };
}
