import { createMemoryBackend } from "async-request-reply";
import { vi } from "vitest";
import type * as Parking from "../../src/operations/following/parking.js";
import type * as Filter from "../../src/operator/filter.js";
import type * as Redrive from "../../src/operator/redrive-one.js";
import type * as Backlog from "../../src/protocol/backlog.js";
import type * as Submit from "../../src/service/submit.js";
import type * as Deliver from "../../src/webhooks/delivery/deliver.js";
import type * as FindAnnounced from "../../src/webhooks/delivery/find-announced.js";
import type * as Schedule from "../../src/webhooks/delivery/schedule.js";
import type * as Event from "../../src/webhooks/event.js";
import type * as Alarm from "../../src/worker/alarm.js";
import type * as Ending from "../../src/worker/attempt/ending.js";
import type * as Runs from "../../src/worker/runs.js";
import type * as Settings from "../../src/worker/settings.js";
import type { ProcessorOptions } from "../../src/worker/settings.js";
import { replacing } from "../support/replacing.js";
import { type Planted, type Play, playOn } from "./pinned-seeds.js";

/** A mistake in the library itself, which no back end can make. */
interface Mutant extends Planted {
  /** Replaces a module with one that makes the mistake. */
  readonly plant: () => void;
}

/** Libraries with one mistake each. */
export const libraryMutants: Readonly<Record<string, Mutant>> = {
  "workers ignore the concurrency of a processor": worker(
    "concurrency",
    /I15: a worker runs \d attempts of \w+ at once/,
  ),
  "workers ignore the leaseMs of a processor": worker("leaseMs", /I15: .* has a lease of 45000 ms/),
  "workers ignore the maxAttempts of a processor": worker(
    "maxAttempts",
    /I15: .* ran \d times, now attempt \d of/,
  ),
  "workers ignore the backoff of a processor": worker(
    "backoff",
    /I15: .* waits \d+ ms before its next attempt/,
  ),
  "workers ignore the attemptTimeoutMs of a processor": worker("attemptTimeoutMs", /I2: .* never ended/),
  "workers rely on rings, which can get lost": {
    violation: /I27: .* has waited for \d+ ms although a worker had a free slot/,
    plant: () =>
      vi.doMock("../../src/worker/alarm.js", async (original) => {
        const real = await original<typeof Alarm>();
        const createAlarm: typeof real.createAlarm = (...args) => ({
          ...real.createAlarm(...args),
          after: () => 3_600_000,
        });
        return { createAlarm };
      }),
  },
  "calls and requests do not share keys": call(
    /I1: key .* belongs to .* and to|I5: a retry has to wait for .* no process is working on it/,
    (submit) =>
      (context, ...args) => {
        const [definition, input, { key, ...options } = {}] = args;
        const own = key === undefined ? {} : { key: `call ${key}` };
        return submit(context, definition, input, { ...options, ...own });
      },
  ),
  "calls hash payloads differently from requests": call(
    /I14: key .* was refused for its own/,
    (submit) =>
      (context, ...args) =>
        submit({ ...context, runtime: { ...context.runtime, hash: (text) => `call ${text}` } }, ...args),
  ),
  "calls ignore their delay": call(/I14: .* has a delay of 0 ms/, (submit) => (context, ...args) => {
    const [definition, input, { delayMs: _, ...options } = {}] = args;
    return submit(context, definition, input, options);
  }),
  "calls ignore their key": call(/I1: key .* belongs to .* and to/, (submit) => (context, ...args) => {
    const [definition, input, { key: _, ...options } = {}] = args;
    return submit(context, definition, input, options);
  }),
  "a redrive by filter stops after its first operation": {
    violation: /I12: .* failed but was not run again/,
    plant: () =>
      vi.doMock("../../src/operator/filter.js", async (original) => {
        const real = await original<typeof Filter>();
        const scan: typeof real.scan = async (context, options, take) => {
          let taken = 0;
          await real.scan(context, options, (operation) => taken++ === 0 && take(operation));
          return undefined;
        };
        return { ...real, scan };
      }),
  },
  "a redrive by id returns the id of the failed operation": {
    violation: /I12: the successor of .* is .*, but its redrive returned/,
    plant: () =>
      vi.doMock("../../src/operator/redrive-one.js", async (original) => {
        const real = await original<typeof Redrive>();
        const redriveOne: typeof real.redriveOne = async (context, operationId) => {
          const result = await real.redriveOne(context, operationId);
          if (result.operation === undefined) return result;
          return { ...result, operation: { ...result.operation, operationId } };
        };
        return { ...real, redriveOne };
      }),
  },
  "a full backlog refuses what was accepted before": {
    violation: /I25: key .* was refused because the backlog is full/,
    plant: () =>
      vi.doMock("../../src/protocol/backlog.js", async (original) => {
        const real = await original<typeof Backlog>();
        const createBacklog: typeof real.createBacklog = ({
          backend: { operations, submissions },
          ...options
        }) => {
          const forgetful = replacing(submissions, { findKey: async () => undefined });
          return real.createBacklog({ ...options, backend: { operations, submissions: forgetful } });
        };
        return { createBacklog };
      }),
  },
  "waiters rely on notifications, which can get lost": {
    violation: /I16: a waiter learned of the end of .* \d+ ms late/,
    plant: () =>
      vi.doMock("../../src/operations/following/parking.js", async (original) => {
        const real = await original<typeof Parking>();
        const createParking: typeof real.createParking = (operations, clock, _, look) =>
          real.createParking(operations, clock, 3_600_000, look);
        return { createParking };
      }),
  },
  "a webhook has the id of its operation instead of its delivery": {
    violation: /I17: webhook .* does not belong to the end of any operation/,
    plant: () =>
      vi.doMock("../../src/webhooks/delivery/find-announced.js", async (original) => {
        const real = await original<typeof FindAnnounced>();
        const findAnnounced: typeof real.findAnnounced = async (...args) => {
          const found = await real.findAnnounced(...args);
          return found && { ...found, webhookId: found.operation.id };
        };
        return { findAnnounced };
      }),
  },
  "a delivery that is run again has another webhook id": {
    violation: /I17: webhook .* does not belong to the end of any operation/,
    plant: () =>
      vi.doMock("../../src/webhooks/delivery/find-announced.js", async (original) => {
        const real = await original<typeof FindAnnounced>();
        const findAnnounced: typeof real.findAnnounced = async (operations, delivery, firstId) => {
          const found = await real.findAnnounced(operations, delivery, firstId);
          return found && { ...found, webhookId: delivery.operationId };
        };
        return { findAnnounced };
      }),
  },
  "a delivery counts as done although its receiver failed": {
    violation: /I17: delivery .* completed, but no receiver accepted webhook/,
    plant: () =>
      vi.doMock("../../src/webhooks/delivery/deliver.js", async (original) => {
        const real = await original<typeof Deliver>();
        const deliver: typeof real.deliver = (...args) => real.deliver(...args).catch(() => undefined);
        return { deliver };
      }),
  },
  "a delivery gives up after its second attempt": {
    violation: /I17: delivery .* failed, although an attempt was left/,
    plant: () =>
      vi.doMock("../../src/webhooks/delivery/schedule.js", async (original) => {
        const real = await original<typeof Schedule>();
        const nextDelayMs: typeof real.nextDelayMs = (request) =>
          request.attempt < 2 ? real.nextDelayMs(request) : undefined;
        return { ...real, nextDelayMs };
      }),
  },
  "attempts that are interrupted at the end of a run count": {
    violation: /I15: .* waits only 0 ms before its next attempt/,
    plant: () =>
      vi.doMock("../../src/worker/attempt/ending.js", async (original) => {
        const real = await original<typeof Ending>();
        const endingOf: typeof real.endingOf = (...args) => {
          const ending = real.endingOf(...args);
          const { settlement } = ending;
          if (settlement?.to !== "retry" || settlement.delayMs > 0) return ending;
          return { ...ending, settlement: { ...settlement, countAttempt: true } };
        };
        return { ...real, endingOf };
      }),
  },
  "runs at the same time do not share the slots of their worker": {
    violation: /I15: a worker runs \d attempts of \w+ at once/,
    plant: () =>
      vi.doMock("../../src/worker/runs.js", async (original) => {
        const real = await original<typeof Runs>();
        const { createSlots } = await import("../../src/worker/slots.js");
        const createRuns: typeof real.createRuns = (worker, parts) => (limits) =>
          real.createRuns(worker, {
            ...parts,
            slots: createSlots(worker.processors, worker.settings.concurrency),
          })(limits);
        return { ...real, createRuns };
      }),
  },
  "a webhook says completed at every end": {
    violation: /I17: webhook .* says completed, but .* is failed/,
    plant: () =>
      vi.doMock("../../src/webhooks/event.js", async (original) => {
        const real = await original<typeof Event>();
        const toEvent: typeof real.toEvent = (operation, base) =>
          real.toEvent({ ...operation, state: "completed" }, base);
        return { toEvent };
      }),
  },
};

/** Modules that mutants replace. */
const REPLACED = [
  "../../src/worker/alarm.js",
  "../../src/worker/attempt/ending.js",
  "../../src/worker/runs.js",
  "../../src/worker/settings.js",
  "../../src/service/submit.js",
  "../../src/operator/filter.js",
  "../../src/operator/redrive-one.js",
  "../../src/operations/following/parking.js",
  "../../src/protocol/backlog.js",
  "../../src/webhooks/delivery/find-announced.js",
  "../../src/webhooks/delivery/deliver.js",
  "../../src/webhooks/delivery/schedule.js",
  "../../src/webhooks/event.js",
];

/** Plants a mistake in a new copy of the library. Returns how to play histories with it. */
export async function plantInLibrary({ plant }: Mutant): Promise<Play> {
  vi.resetModules();
  plant();
  return playOn((clock) => createMemoryBackend({ clock }), await import("async-request-reply/testing"));
}

/** Removes the mistakes of all mutants. */
export function restoreLibrary(): void {
  for (const module of REPLACED) vi.doUnmock(module);
  vi.resetModules();
}

/** Creates a mutant whose workers ignore one option of a processor. */
function worker(option: keyof ProcessorOptions, violation: RegExp): Mutant {
  const plant = (): void =>
    void vi.doMock("../../src/worker/settings.js", async (original) => {
      const real = await original<typeof Settings>();
      const processorTable: typeof real.processorTable = (defaults, random) => {
        const table = real.processorTable(defaults, random);
        return { ...table, [option]: (_: unknown, name: string) => table[option](undefined, name) };
      };
      return { ...real, processorTable };
    });
  return { violation, plant };
}

/** Creates a mutant whose `service.submit` makes a mistake. */
function call(violation: RegExp, change: (submit: typeof Submit.submit) => typeof Submit.submit): Mutant {
  const plant = (): void =>
    void vi.doMock("../../src/service/submit.js", async (original) => {
      const real = await original<typeof Submit>();
      return { ...real, submit: change(real.submit) };
    });
  return { violation, plant };
}
