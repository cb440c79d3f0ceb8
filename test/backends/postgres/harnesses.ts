import type { Queue } from "async-request-reply";
import type { PGliteTransaction, PostgresBackend } from "async-request-reply/postgres";
import type { Capabilities, OpenPort, PortHarness, QueueHarness } from "async-request-reply/testing";
import type { PoolClient } from "pg";
import type { ManualTime } from "../../support/postgres/stop-time.js";

/** Longer than any case, so that only a ring wakes a listener. */
const NEVER_MS = 600_000;

const capabilities: Capabilities = {
  leaseGranularityMs: 1,
  skipsTime: true,
  jumpsBack: true,
  watch: true,
  watchCancellations: true,
  inspect: true,
};

type AnyBackend = PostgresBackend<PoolClient> | PostgresBackend<PGliteTransaction>;

/** Options of back ends whose time passes. */
export interface RunningOptions {
  readonly schema?: string;
  readonly pollIntervalMs: number;
}

/** Opens back ends in empty schemas. */
export interface Openings {
  /** Opens a back end whose time stands still. */
  stopped(): Promise<AnyBackend & { readonly time: ManualTime }>;
  /** Opens a back end whose time passes, in an empty schema unless the options name one. */
  running(options: RunningOptions): Promise<AnyBackend & { readonly schema: string }>;
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

/** Creates a harness for the queue. Its time is real, and nothing polls in place of a ring. */
export function queueHarness({ running }: Openings): QueueHarness {
  return {
    capabilities: { leaseGranularityMs: 100, processes: true },
    ringsWithinMs: 1_500,
    create: async () => {
      const { schema, ...backend } = await running({ pollIntervalMs: NEVER_MS });
      const opened = ({ queue, close }: AnyBackend): OpenPort<Queue> => ({ port: queue, close });
      const connect = async () => opened(await running({ schema, pollIntervalMs: NEVER_MS }));
      return { ...opened(backend), connect };
    },
    passTime: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}
