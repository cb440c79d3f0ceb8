import type { Backend } from "async-request-reply";
import type { Submissions } from "async-request-reply/ports";
import {
  type Capabilities,
  createStoreQueueHarness,
  type PortHarness,
  type QueueHarness,
} from "async-request-reply/testing";
import { type Execute, type ManualTime, stopTime } from "./manual-time.js";

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
  beginsAttempts: true,
  consumeByTicket: true,
  turns: true,
  limits: true,
  lanes: true,
  recordMany: true,
  deadlines: true,
};

/** A new, migrated back end and a way to change its schema. */
export interface Fresh {
  readonly backend: Backend & { readonly submissions: Submissions<unknown> };
  readonly schema: string;
  readonly execute: Execute;
}

/** Creates a harness whose cases each get a new schema in which time stands still. */
export function harnessOf<Port>(
  open: () => Promise<Fresh>,
  portOf: (backend: Fresh["backend"]) => Port,
): PortHarness<Port> {
  let time: ManualTime | undefined;
  return {
    capabilities,
    create: async () => {
      const { backend, schema, execute } = await open();
      time = await stopTime(execute, schema);
      return { port: portOf(backend), close: () => backend.close() };
    },
    passTime: async (ms) => time?.advance(ms),
    jumpTime: async (ms) => time?.advance(ms),
  };
}

/** Creates a harness for the queue, which reads from the store. Its leases run in real time. */
export function queueHarness(open: () => Promise<Fresh>): QueueHarness {
  return createStoreQueueHarness({
    capabilities: { ...capabilities, leaseGranularityMs: 100 },
    deliversWithinMs: 1_500,
    open: async () => {
      const { backend } = await open();
      return { port: backend, close: () => backend.close() };
    },
    passTime: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
}
