import type { Queue } from "async-request-reply";
import type { NewOperation, Ring } from "async-request-reply/ports";
import type { SqliteBackend } from "async-request-reply/sqlite";
import {
  type Capabilities,
  createManualClock,
  type OpenPort,
  type PortHarness,
  type QueueHarness,
} from "async-request-reply/testing";
import { createSystemRuntime } from "../../../src/platform/system-runtime.js";
import type { SqliteClient } from "../../support/sqlite/clients.js";
import { newDatabaseFile } from "../../support/sqlite/database-files.js";

const { newId } = createSystemRuntime();
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

/**
 * Creates a harness for the queue. Its time is real, because the file system tells of the writes of other processes. These learn of
 * rings from the file, so each ring is one of work in it.
 */
export function queueHarness(client: SqliteClient): QueueHarness {
  return {
    capabilities: { leaseGranularityMs: 100, processes: true },
    ringsWithinMs: 1_500,
    create: async () => {
      const file = newDatabaseFile(client);
      const connect = async (): Promise<OpenPort<Queue>> => {
        const backend = file.open({ pollIntervalMs: NEVER_MS });
        const publish = async (rings: readonly Ring[]): Promise<void> => {
          await Promise.all(
            rings.map(({ definition }) => backend.operations.create(newOperation(definition))),
          );
          await backend.queue.publish(rings);
        };
        return { port: { ...backend.queue, publish }, close: () => backend.close() };
      };
      const { port, close } = await connect();
      return {
        port,
        connect,
        close: async () => {
          await close?.();
          await file.remove();
        },
      };
    },
    passTime: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}

function newOperation(definition: string): NewOperation {
  return { id: newId(), tenant: "a", definition, input: "null", retentionMs: 86_400_000 };
}
