import type { SqliteBackend } from "async-request-reply/sqlite";
import {
  type Capabilities,
  createManualClock,
  createStoreQueueHarness,
  type PortHarness,
  type QueueHarness,
} from "async-request-reply/testing";
import type { SqliteClient } from "../../support/sqlite/clients.js";
import { newDatabaseFile } from "../../support/sqlite/database-files.js";

const capabilities: Capabilities = {
  leaseGranularityMs: 1,
  skipsTime: true,
  jumpsBack: true,
  watch: true,
  watchCancellations: true,
  getMany: true,
  list: true,
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

/** Creates a harness whose cases each get a port of a new file on a manual clock. */
export function harnessOf<Port>(
  client: SqliteClient,
  portOf: (backend: SqliteBackend) => Port,
): PortHarness<Port> {
  const clock = createManualClock();
  return {
    capabilities,
    create: async () => {
      const file = newDatabaseFile(client);
      return { port: portOf(file.open({ runtime: { clock } })), close: () => file.remove() };
    },
    passTime: (ms) => clock.advance(ms),
    jumpTime: (ms) => clock.jump(ms),
  };
}

/** Creates a harness for the queue, which reads from the store. */
export function queueHarness(client: SqliteClient): QueueHarness {
  const { create, ...harness } = harnessOf(client, (backend) => backend);
  return createStoreQueueHarness({ ...harness, open: create, deliversWithinMs: 1_500 });
}
