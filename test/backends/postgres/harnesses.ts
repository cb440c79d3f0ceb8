import type { PGliteTransaction, PostgresBackend } from "async-request-reply/postgres";
import {
  type Capabilities,
  createStoreQueueHarness,
  type PortHarness,
  type QueueHarness,
} from "async-request-reply/testing";
import type { PoolClient } from "pg";
import type { ManualTime } from "../../support/postgres/stop-time.js";

const capabilities: Capabilities = {
  leaseGranularityMs: 1,
  skipsTime: true,
  jumpsBack: true,
  watch: true,
  watchCancellations: true,
  list: true,
  getMany: true,
  stats: true,
  countPending: true,
  findKey: true,
  redrive: true,
  pause: true,
  claim: true,
  beginsAttempts: true,
  consumeByTicket: true,
  turns: true,
  limits: true,
  lanes: true,
  recordMany: true,
  deadlines: true,
};

type AnyBackend = PostgresBackend<PoolClient> | PostgresBackend<PGliteTransaction>;

/** Opens back ends in empty schemas. */
export interface Openings {
  /** Opens a back end whose time stands still. */
  stopped(): Promise<AnyBackend & { readonly time: ManualTime }>;
  /** Opens a back end whose time passes. */
  running(): Promise<AnyBackend>;
}

/** Creates a harness whose cases each get an empty schema in which time stands still. */
export function harnessOf<Port>(
  { stopped }: Openings,
  portOf: (backend: AnyBackend) => Port,
): PortHarness<Port> {
  let time: ManualTime | undefined;
  return {
    capabilities,
    create: async () => {
      const backend = await stopped();
      time = backend.time;
      return { port: portOf(backend), close: () => backend.close() };
    },
    passTime: async (ms) => time?.advance(ms),
    jumpTime: async (ms) => time?.advance(ms),
  };
}

/** Creates a harness for the queue, which reads from the store. Its leases run in real time. */
export function queueHarness({ running }: Openings): QueueHarness {
  return createStoreQueueHarness({
    capabilities: { ...capabilities, leaseGranularityMs: 100 },
    deliversWithinMs: 1_500,
    open: async () => {
      const backend = await running();
      return { port: backend, close: () => backend.close() };
    },
    passTime: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
}
