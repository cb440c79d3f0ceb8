import type { Backend } from "../../../ports/backend.js";
import { HOUR_MS, MINUTE_MS, type MinuteRow, type StepWork } from "../../../ports/minutes-store.js";
import { equal } from "../../expect.js";
import { createPending, newToken } from "../operation-store/fixtures.js";
import type { PortCheck, PortHarness } from "../port-case.js";

/** A back end with a store of minutes. */
export type MinutesBackend = Required<Pick<Backend, "operations" | "minutes">>;

/** Creates back ends for `minutesStoreCases`. */
export type MinutesStoreHarness = PortHarness<MinutesBackend>;

export type MinutesStoreCheck = PortCheck<MinutesBackend, MinutesStoreHarness>;

/** More rows than any case writes. */
export const ALL = { limit: 1_000 } as const;

/** Returns the minute that the store is in. Epoch milliseconds. */
export async function currentMinute({ operations }: MinutesBackend): Promise<number> {
  const { id, tenant } = await createPending(operations);
  const { createdAt = 0 } = (await operations.get(id, tenant)) ?? {};
  return createdAt - (createdAt % MINUTE_MS);
}

/** Returns a row of a new process in which nothing happened, but for what is given. */
export function newRow(minute: number, given: Partial<MinuteRow> = {}): MinuteRow {
  return {
    process: newToken(),
    minute,
    definition: "orders",
    served: false,
    accepted: 0,
    started: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    retried: 0,
    lost: 0,
    refused: 0,
    waiting: {},
    running: {},
    total: {},
    ...given,
  };
}

/** Reads the steps of a definition around a time, in their order. */
export async function readAround(
  { minutes }: MinutesBackend,
  time: number,
  stepMs: number = MINUTE_MS,
  definition = "orders",
): Promise<readonly StepWork[]> {
  const from = time - (time % HOUR_MS) - HOUR_MS;
  const steps = await minutes.read({ definitions: [definition], from, to: from + 4 * HOUR_MS, stepMs });
  return [...steps].sort((one, other) => one.start - other.start);
}

/** Checks that a definition has this number of accepted operations around a time. */
export async function expectAccepted(
  backend: MinutesBackend,
  time: number,
  accepted: number,
  when: string,
): Promise<void> {
  const steps = await readAround(backend, time);
  const sum = steps.reduce((total, step) => total + step.accepted, 0);
  equal(sum, accepted, `the accepted operations ${when}`);
}
