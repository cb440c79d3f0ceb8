import { createMemoryBackend } from "async-request-reply";
import { vi } from "vitest";
import type * as Spots from "../../src/operations/following/spots.js";
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
import type * as AttemptOutput from "../../src/worker/attempt/output/attempt-output.js";
import type * as Runs from "../../src/worker/runs.js";
import type * as Settings from "../../src/worker/settings.js";
import type { ProcessorOptions } from "../../src/worker/settings.js";
import { replacing } from "../support/replacing.js";
import { type Planted, type Play, playOn } from "./pinned-seeds.js";

/** A mistake in the library itself, which no back end can make. */
interface Mutant extends Planted {
  /** The module that makes the mistake. */
  readonly module: string;
  /** Replaces the module with one that makes the mistake. */
  readonly plant: () => void;
}

/** Creates a mutant in which some functions of a module make a mistake. */
function mutant<Module extends object>(
  violation: RegExp,
  module: string,
  mistake: (real: Module) => Partial<Module> | Promise<Partial<Module>>,
): Mutant {
  const plant = (): void =>
    void vi.doMock(module, async (original) => {
      const real = await original<Module>();
      return { ...real, ...(await mistake(real)) };
    });
  return { violation, module, plant };
}

const FIND_ANNOUNCED = "../../src/webhooks/delivery/find-announced.js";

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
  "workers rely on rings, which can get lost": mutant<typeof Alarm>(
    /I27: .* has waited for \d+ ms although a worker had a free slot/,
    "../../src/worker/alarm.js",
    ({ createAlarm }) => ({
      createAlarm: (...args) => ({ ...createAlarm(...args), after: () => 3_600_000 }),
    }),
  ),
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
  "a redrive by filter stops after its first operation": mutant<typeof Filter>(
    /I12: .* failed but was not run again/,
    "../../src/operator/filter.js",
    ({ scan }) => ({
      scan: async (context, options, take) => {
        let taken = 0;
        await scan(context, options, (operation) => taken++ === 0 && take(operation));
        return undefined;
      },
    }),
  ),
  "a redrive by id returns the id of the failed operation": mutant<typeof Redrive>(
    /I12: the successor of .* is .*, but its redrive returned/,
    "../../src/operator/redrive-one.js",
    ({ redriveOne }) => ({
      redriveOne: async (context, operationId) => {
        const result = await redriveOne(context, operationId);
        if (result.operation === undefined) return result;
        return { ...result, operation: { ...result.operation, operationId } };
      },
    }),
  ),
  "a full backlog refuses what was accepted before": mutant<typeof Backlog>(
    /I25: key .* was refused because the backlog is full/,
    "../../src/protocol/backlog.js",
    ({ createBacklog }) => ({
      createBacklog: ({ backend: { operations, submissions }, ...options }) => {
        const forgetful = replacing(submissions, { findKey: async () => undefined });
        return createBacklog({ ...options, backend: { operations, submissions: forgetful } });
      },
    }),
  ),
  "waiters rely on notifications, which can get lost": mutant<typeof Spots>(
    /I16: a waiter learned of the end of .* \d+ ms late/,
    "../../src/operations/following/spots.js",
    ({ createSpots }) => ({
      createSpots: (options) => createSpots({ ...options, pollMs: 3_600_000 }),
    }),
  ),
  "a webhook has the id of its operation instead of its delivery": mutant<typeof FindAnnounced>(
    /I17: webhook .* does not belong to the end of any operation/,
    FIND_ANNOUNCED,
    ({ findAnnounced }) => ({
      findAnnounced: async (...args) => {
        const found = await findAnnounced(...args);
        return found && { ...found, webhookId: found.operation.id };
      },
    }),
  ),
  "a delivery that is run again has another webhook id": mutant<typeof FindAnnounced>(
    /I17: webhook .* does not belong to the end of any operation/,
    FIND_ANNOUNCED,
    ({ findAnnounced }) => ({
      findAnnounced: async (operations, delivery, firstId) => {
        const found = await findAnnounced(operations, delivery, firstId);
        return found && { ...found, webhookId: delivery.operationId };
      },
    }),
  ),
  "a delivery counts as done although its receiver failed": mutant<typeof Deliver>(
    /I17: delivery .* completed, but no receiver accepted webhook/,
    "../../src/webhooks/delivery/deliver.js",
    ({ deliver }) => ({ deliver: (...args) => deliver(...args).catch(() => undefined) }),
  ),
  "a delivery gives up after its second attempt": mutant<typeof Schedule>(
    /I17: delivery .* failed, although an attempt was left/,
    "../../src/webhooks/delivery/schedule.js",
    ({ nextDelayMs }) => ({
      nextDelayMs: (request) => (request.attempt < 2 ? nextDelayMs(request) : undefined),
    }),
  ),
  "attempts that are interrupted at the end of a run count": mutant<typeof Ending>(
    /I15: .* waits only 0 ms before its next attempt/,
    "../../src/worker/attempt/ending.js",
    ({ endingOf }) => ({
      endingOf: (...args) => {
        const ending = endingOf(...args);
        const { settlement } = ending;
        if (settlement?.to !== "retry" || settlement.delayMs > 0) return ending;
        return { ...ending, settlement: { ...settlement, countAttempt: true } };
      },
    }),
  ),
  "an attempt ends before its last chunks are stored": mutant<typeof AttemptOutput>(
    /I28: .* completed although its processor has written/,
    "../../src/worker/attempt/output/attempt-output.js",
    (real) => ({
      AttemptOutput: class extends real.AttemptOutput {
        override async finish(): Promise<boolean> {
          return true;
        }
      },
    }),
  ),
  "runs at the same time do not share the slots of their worker": mutant<typeof Runs>(
    /I15: a worker runs \d attempts of \w+ at once/,
    "../../src/worker/runs.js",
    async ({ createRuns }) => {
      const { createSlots } = await import("../../src/worker/slots.js");
      return {
        createRuns: (worker, parts) => (limits) => {
          const slots = createSlots(worker.processors, worker.settings.concurrency);
          return createRuns(worker, { ...parts, slots })(limits);
        },
      };
    },
  ),
  "a webhook says completed at every end": mutant<typeof Event>(
    /I17: webhook .* says completed, but .* is failed/,
    "../../src/webhooks/event.js",
    ({ toEvent }) => ({
      toEvent: (operation, base) => toEvent({ ...operation, state: "completed" }, base),
    }),
  ),
};

/** Plants a mistake in a new copy of the library. Returns how to play histories with it. */
export async function plantInLibrary({ plant }: Mutant): Promise<Play> {
  vi.resetModules();
  plant();
  return playOn((clock) => createMemoryBackend({ clock }), await import("async-request-reply/testing"));
}

/** Removes the mistakes of all mutants. */
export function restoreLibrary(): void {
  for (const { module } of Object.values(libraryMutants)) vi.doUnmock(module);
  vi.resetModules();
}

/** Creates a mutant whose workers ignore one option of a processor. */
function worker(option: keyof ProcessorOptions, violation: RegExp): Mutant {
  return mutant<typeof Settings>(violation, "../../src/worker/settings.js", ({ processorTable }) => ({
    processorTable: (defaults, random) => {
      const table = processorTable(defaults, random);
      return { ...table, [option]: (_: unknown, name: string) => table[option](undefined, name) };
    },
  }));
}

/** Creates a mutant whose `service.submit` makes a mistake. */
function call(violation: RegExp, change: (submit: typeof Submit.submit) => typeof Submit.submit): Mutant {
  return mutant<typeof Submit>(violation, "../../src/service/submit.js", ({ submit }) => ({
    submit: change(submit),
  }));
}
