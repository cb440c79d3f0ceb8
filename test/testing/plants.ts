import {
  type Backend,
  type Clock,
  createMemoryBackend,
  createMemoryStores,
  type IdempotencyStore,
  type Queue,
} from "async-request-reply";
import type { SeparateStores } from "async-request-reply/ports";
import type { CreateBackend, ManualClock, Recording } from "async-request-reply/testing";
import {
  brokenIdempotencyStores,
  brokenOperationStores,
  brokenQueues,
  brokenSubmissions,
} from "./broken/index.js";
import { type BrokenPort, overriding } from "./broken/prove.js";
import { type TrackedStore, trackedStore } from "./broken/tracked-store.js";
import { plantedAnswers } from "./planted-answers.js";
import { plantedClaims } from "./planted-claims.js";
import { plantedFaults } from "./planted-faults.js";
import { plantedOutputs } from "./planted-outputs.js";
import { plantedPromises } from "./planted-promises.js";
import { plantedReadings } from "./planted-readings.js";
import { plantedSubmissions } from "./planted-submissions.js";
import { plantedTransactions } from "./planted-transactions.js";

/** A back end in memory with one mistake. */
export interface Plant {
  readonly kind: string;
  readonly name: string;
  readonly create: CreateBackend;
  /** Whether the port suites catch it. Undefined if that is not known yet: see `proveSuite`. */
  readonly inPortSuites?: boolean;
}

type Mistakes<Port> = readonly Pick<BrokenPort<Port>, "name" | "caughtBy" | "methods">[];

/** Calls after which a mistake that repeats a page for ever has been found. */
const MAX_CALLS = 100_000;

/** Makes a store throw instead of answering for ever. */
function ending(operations: TrackedStore): TrackedStore {
  let calls = 0;
  return new Proxy(operations, {
    get: (target, name) => {
      calls += 1;
      if (calls > MAX_CALLS) throw new Error("The store was called for ever.");
      return Reflect.get(target, name);
    },
  });
}

function ofPort<Port>(
  kind: string,
  broken: Mistakes<Port>,
  create: (methods: (port: Port) => Partial<Port>, clock: Clock) => Backend | SeparateStores,
): readonly Plant[] {
  return broken.map(({ name, caughtBy, methods }) => ({
    kind,
    name: `${kind} that ${name}`,
    create: (clock) => create((port) => methods(port, clock as ManualClock), clock),
    inPortSuites: caughtBy.length > 0,
  }));
}

const brokenPorts: readonly Plant[] = [
  ...ofPort("an operation store", brokenOperationStores, (methods, clock) => {
    const stores = createMemoryStores({ clock });
    const tracked = trackedStore(stores.operations, clock as ManualClock);
    return { ...stores, operations: ending(overriding(tracked, methods(tracked))) };
  }),
  ...ofPort<IdempotencyStore>("an idempotency store", brokenIdempotencyStores, (methods, clock) => {
    const stores = createMemoryStores({ clock });
    return { ...stores, idempotency: overriding(stores.idempotency, methods(stores.idempotency)) };
  }),
  ...ofPort<Recording>("atomic steps", brokenSubmissions, (methods, clock) => {
    const backend = createMemoryBackend({ clock });
    return { ...backend, ...methods(backend) };
  }),
  ...ofPort<Queue>("a queue", brokenQueues, (methods, clock) => {
    const backend = createMemoryBackend({ clock });
    return { ...backend, queue: overriding(backend.queue, methods(backend.queue)) };
  }),
];

const histories = {
  ...plantedReadings,
  ...plantedTransactions,
  ...plantedPromises,
  ...plantedOutputs,
  ...plantedSubmissions,
  ...plantedAnswers,
  ...plantedClaims,
};

/** Every back end with a mistake that the tests know. */
export const plants: readonly Plant[] = [
  ...brokenPorts,
  ...Object.entries(plantedFaults).map(([name, create]) => ({ kind: "a back end", name, create })),
  ...Object.entries(histories).map(([name, { create }]) => ({ kind: "a back end", name, create })),
];
