import type { Settlement } from "../contract/operation.js";
import type { Claimed, ClaimRequest } from "../ports/claim.js";
import type { KeyReference } from "../ports/idempotency-store.js";
import type { CancelOutcome, OperationStore, OverdueOperation } from "../ports/operation-store.js";
import { claim, claimNothing } from "./claim.js";
import type { Driver, WriteOptions } from "./driver.js";
import {
  cancel,
  type Entry,
  endIfOverdue,
  isRepeatedCreation,
  renew,
  type Stepped,
  settle,
} from "./entry.js";
import { inspect } from "./inspect.js";
import type { OutputTable } from "./output.js";
import { keepCheckpoint, knownRedrive, successorOf } from "./redrive.js";
import type { Table } from "./table.js";
import { Turns } from "./turns.js";

/** Number of operations that a job ends, so that it does not block the event loop for long. */
const ENDED_AT_ONCE = 50;

/** Creates the store of operations of a table. `newToken` returns a random text. `outputs` is absent in a store without output. */
export function createOperationStore<
  Found extends Entry,
  Named,
  Held extends Entry<Stepped>,
  Key extends KeyReference,
>(
  driver: Driver,
  table: Table<Found, Named, Held, Key>,
  newToken: () => string,
  outputs?: Pick<OutputTable, "head" | "save">,
): Omit<OperationStore, "watch" | "watchCancellations"> {
  const turns = new Turns(newToken);
  /** Whether the last claim began nothing. */
  let isIdle = true;
  /** Whether the last claim may have left operations to end. */
  let hasLeft = false;

  /** A claim that only leases does not wait for the disk. One that may end operations does. */
  function claimNow(request: ClaimRequest, mayEnd: boolean): Promise<Claimed> {
    return driver.write("work", () => claim({ table, turns, mayEnd }, request), { canBeLost: !mayEnd });
  }

  /** Claims without waiting for the disk, unless there is something to end. */
  async function claimQuickly(request: ClaimRequest): Promise<Claimed> {
    if (request.operationId !== undefined) return claimNow(request, true);
    if (isIdle && request.repeated !== true) {
      // A read needs no lock, so that idle workers do not delay the writers.
      const nothing = await driver.read(() => claimNothing(table, request));
      if (nothing !== undefined) return nothing;
    }
    const mayEnd = hasLeft;
    const claimed = await claimNow(request, mayEnd);
    if (request.repeated === true) return claimed;
    isIdle = claimed.begun.length === 0;
    hasLeft = claimed.again && !mayEnd;
    return isIdle && hasLeft ? claimNow(request, true) : claimed;
  }

  /** Runs a step of an attempt, if the operation exists. */
  function step<Result>(
    id: string,
    run: (entry: Held, now: number) => Result,
    how: WriteOptions,
  ): Promise<Result | { readonly outcome: "lost" }> {
    const apply = (): Result | typeof LOST => {
      const entry = table.findHeld(id);
      return entry === undefined ? LOST : table.applyHeld(entry, (now) => run(entry, now));
    };
    return driver.write("work", apply, how);
  }

  return {
    keeps: ["deadlines", "lanes", "limits"],
    create: (operation, initial) =>
      driver.write(
        "submissions",
        () => {
          const known = table.find(operation.id);
          if (known !== undefined) return isRepeatedCreation(known, initial) ? "created" : "exists";
          table.insert(operation, initial);
          return "created";
        },
        { bytes: operation.input.length },
      ),
    get: (id, tenant) => driver.read(() => table.get(id, tenant)),
    claim: driver.waitsForDisk ? claimQuickly : (request) => claimNow(request, true),
    renew: ({ operationId, token }, change) =>
      step(operationId, (entry, now) => renew(entry, now, token, change), {
        bytes: change.progress?.length,
        canBeLost: true,
      }),
    settle: ({ operationId, token }, settlement) =>
      step(operationId, (entry, now) => settle(entry, now, token, settlement), {
        bytes: bytesOf(settlement),
      }),
    requestCancel: (id, tenant) =>
      driver.write("work", (): CancelOutcome => {
        const entry = table.find(id);
        if (entry === undefined || entry.operation.tenant !== tenant || entry.operation.hidden === true)
          return "unknown";
        const outcome = table.apply(entry, (now) => cancel(entry, now));
        if (outcome === "requested") table.cancelRequested(id);
        return outcome;
      }),
    endOverdue: async ({ limit }) => {
      // A read needs no lock, so a sweep that finds nothing does not delay the writers.
      if (!(await driver.read(() => table.hasOverdue()))) return [];
      const ended: OverdueOperation[] = [];
      for (let more = true; more && ended.length < limit; ) {
        const share = Math.min(ENDED_AT_ONCE, limit - ended.length);
        const some = await driver.write("work", () => {
          const now = table.now();
          return table
            .overdue(now, share)
            .flatMap((entry) => table.apply(entry, () => endIfOverdue(entry, now)) ?? []);
        });
        ended.push(...some);
        more = some.length === share;
      }
      return ended;
    },
    getMany: (ids) => driver.read(() => table.getMany(ids)),
    inspect: (request) => driver.read(() => inspect(table, request)),
    list: (request) => driver.read(() => table.list(request)),
    stats: ({ definitions }) => driver.read(() => definitions.map((name) => table.stats(name))),
    countPending: (requests) => driver.read(() => requests.map((request) => table.countPending(request))),
    redrive: (id, successor) =>
      driver.write("work", () => {
        const entry = table.find(id);
        if (entry === undefined) return { outcome: "unknown" };
        const known = knownRedrive(entry);
        if (known !== undefined) return known;
        const created = !table.has(successor.id);
        if (created) table.insert(successorOf(entry.operation, successor));
        if (created && outputs !== undefined && successor.keepCheckpoint === true)
          keepCheckpoint(outputs, id, successor.id);
        table.redriven(entry, successor.id);
        return { outcome: "redriven", operationId: successor.id, created };
      }),
    pause: (definition, by) => driver.write("work", () => table.pause(definition, by)),
    resume: (definition) => driver.write("work", () => table.resume(definition)),
  };
}

const LOST = { outcome: "lost" } as const;

function bytesOf(settlement: Settlement): number {
  if (settlement.to === "prepared") return 0;
  const result = settlement.to === "completed" ? settlement.result : undefined;
  return (result?.length ?? 0) + (settlement.progress?.length ?? 0);
}
