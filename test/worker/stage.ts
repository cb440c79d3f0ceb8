import type { Backend, Job, Processor, ServiceEvent, WorkerOptions } from "async-request-reply";
import type { Operation } from "async-request-reply/ports";
import { replacing } from "../support/replacing.js";
import { createStage, signalOf, type WorkerStage } from "../support/worker-stage.js";

/** Submits an order, or an input of the first definition. Returns the stage with the id of the operation. */
export async function submitted<Stage extends Pick<WorkerStage<[]>, "submit">>(
  stage: Stage,
  input?: unknown,
): Promise<Stage & { readonly id: string }> {
  return { ...stage, id: await stage.submit(input) };
}

/** Submits an order and runs what is due. Returns the stage with what the store keeps of the order. */
export async function runOrder(
  orders: Processor<{ readonly itemId: string; readonly quantity: number }>,
  options?: WorkerOptions,
) {
  const stage = await submitted(createStage());
  await stage.worker({ orders }, options).runUntilIdle();
  return { ...stage, operation: await stage.read(stage.id) };
}

/** Returns the members of the reason why the last attempt failed. */
export const reasonOf = ({ lastError }: Operation) => JSON.parse(lastError ?? "{}");

/** Replaces methods of the operation store. */
export function withOperations(
  methods: (operations: Backend["operations"]) => Partial<Backend["operations"]>,
): (backend: Backend) => Backend {
  return (backend) => ({
    ...backend,
    operations: replacing(backend.operations, methods(backend.operations)),
  });
}

export const countOf = (events: readonly ServiceEvent[], name: ServiceEvent["event"]): number =>
  events.filter(({ event }) => event === name).length;

/** Work that throws. */
export const failing = (error: unknown) => (): never => {
  throw error;
};

/** Work that runs until a test ends it. */
export function heldWork<T = void>() {
  const begun = signalOf<Job>();
  const held = signalOf<T>();
  return {
    run: (_: unknown, job: Job): Promise<T> => {
      begun.resolve(job);
      return held.promise;
    },
    begun: begun.promise,
    end: held.resolve,
  };
}

/** Work that ends only when it is interrupted. */
export function endlessWork() {
  let begun = 0;
  return {
    run: (_: unknown, { signal }: Pick<Job, "signal">): Promise<never> => {
      begun += 1;
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
    /** Resolves when this many attempts have begun. */
    begun: async (count = 1): Promise<void> => {
      while (begun < count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
