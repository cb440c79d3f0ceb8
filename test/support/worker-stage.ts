import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOrders,
  type OperationDefinition,
  type Processors,
  type ServiceEvent,
  type Worker,
  type WorkerOptions,
} from "async-request-reply";
import type { Operation } from "async-request-reply/ports";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { claimOne } from "./claims.js";

export { signalOf } from "./signal.js";

/** A service, its store on a manual clock, and all observed events. */
export interface WorkerStage<Definitions extends readonly OperationDefinition[]> {
  readonly clock: ManualClock;
  readonly events: ServiceEvent[];
  /** Submits an order, or an input of the first definition or the one at `to`, and returns the id of its operation. */
  submit(input?: unknown, to?: string): Promise<string>;
  read(id: string): Promise<Operation>;
  cancel(id: string): Promise<number>;
  /** Begins an attempt like a worker that then dies. */
  lose(id: string): Promise<void>;
  worker(processors: Processors<Definitions>, options?: WorkerOptions, random?: () => number): Worker;
}

export const LEASE_MS = 30_000;

const orders = defineOrders({ cancellable: true });

export function createStage(): WorkerStage<readonly [typeof orders]>;
export function createStage<const Definitions extends readonly OperationDefinition[]>(
  definitions: Definitions,
  change?: (backend: Backend) => Backend,
): WorkerStage<Definitions>;
export function createStage(
  definitions: readonly OperationDefinition[] = [orders],
  change: (backend: Backend) => Backend = (backend) => backend,
): WorkerStage<readonly OperationDefinition[]> {
  const clock = createManualClock();
  const events: ServiceEvent[] = [];
  const backend = change(createMemoryBackend({ clock }));
  const service = createService({
    definitions: definitions,
    backend,
    authorize: allowAnonymous(),
    observe: (event) => events.push(event),
    runtime: { clock },
  });
  const path = definitions[0]?.path ?? "";
  let lost = 0;
  return {
    clock,
    events,
    submit: async (input = { itemId: "item", quantity: 1 }, to = path) => {
      const headers = { "content-type": "application/json" };
      const reply = await service.handle({ method: "POST", path: to, headers, body: JSON.stringify(input) });
      return (reply.headers.location ?? "").slice("/operations/".length);
    },
    read: async (id) => {
      const operation = await backend.operations.get(id, "anonymous");
      if (operation === undefined) throw new Error(`Operation ${id} does not exist.`);
      return operation;
    },
    cancel: async (id) =>
      (await service.handle({ method: "DELETE", path: `/operations/${id}`, headers: {} })).status,
    lose: async (id) => {
      lost += 1;
      await claimOne(backend.operations, id, { token: `lost ${lost}`, leaseMs: LEASE_MS });
    },
    // Half of every backoff. With real jitter a delay can be 0, and a retry would run earlier than a test expects.
    worker: (processors, options, random = () => 0.5) =>
      createWorker({ ...service, runtime: { random } }, processors, options),
  };
}

/** Returns the members of an operation's `error`. */
export function errorOf({ error }: Operation): {
  readonly type: string;
  readonly title: string;
  readonly detail: string;
} {
  return JSON.parse(error ?? "{}");
}
