import type { Order } from "../../../contract/definition/order.js";
import { permanentFailure } from "../../../contract/errors.js";
import type { CreateResource } from "../../../ports/create.js";
import type { Job } from "../../../worker/attempt/job.js";
import type { Stage } from "../stage.js";
import { short } from "../world/names.js";
import type { Process } from "../world/process.js";
import { LEASE_MS } from "./options.js";
import { orders } from "./orders.js";
import { pagesOf } from "./pages.js";

/** Returns whether the resource of a definition is created before the reply in this history. */
export function createsBeforeReply({ creates }: Stage, definition: string): boolean {
  return creates && definition === orders.name;
}

/** Returns the `create` functions of one process. In some histories, orders are created before the reply. */
export function creatorsOf(
  stage: Stage,
  process: Process,
): { readonly orders?: CreateResource<Order, unknown> } {
  const { creates, world, nextNumber } = stage;
  if (!creates) return {};
  return {
    orders: async (_order, { operationId, tx }) => {
      const made = nextNumber();
      const outcome = await world.call(process, `create-resource(${short(operationId)})`, async () => {
        // In a transaction, the effect only happens if it commits.
        if (tx === undefined) stage.ledger.keys.effect(operationId);
        return world.choices.weighted([
          ["created", 8],
          ["throws", 1],
          ["impossible", 1],
        ]);
      });
      if (tx !== undefined) await stage.transactions.write(process, tx, `creation ${made}`);
      if (outcome === "throws") throw new Error("simulated");
      if (outcome === "impossible") throw permanentFailure(`The order cannot be made: ${made}.`);
      return { body: { order: operationId, made }, location: `/orders/${made}` };
    },
  };
}

/** Processes an order, with or without a transaction. Each attempt reports, returns and throws unique values. */
export async function work(stage: Stage, process: Process, job: Job): Promise<unknown> {
  const { world, transactions, synchronous, nextNumber } = stage;
  const run = nextNumber();
  const pages = pagesOf(stage, process, job);
  const resultOf = (number: number): unknown => ({
    order: job.operationId,
    run: number,
    chunks: pages?.count,
  });
  /** Writes a last chunk, and returns the result. */
  const finish = (): unknown => {
    pages?.writeOne();
    return resultOf(run);
  };
  if (pages !== undefined) await pages.write();
  if (synchronous !== undefined && world.choices.choose(2) === 0) {
    await attempt(stage, process, job, run);
    const isUndone = world.choices.choose(4) === 3;
    return job.transaction((handle) => {
      synchronous.write(handle, `work ${run}`);
      if (isUndone) throw new Error("simulated");
      return finish();
    });
  }
  if (transactions.users === undefined || world.choices.choose(2) === 1) {
    await attempt(stage, process, job, run);
    return finish();
  }
  const written = pages?.count ?? 0;
  try {
    return await job.transaction(async (tx) => {
      await transactions.write(process, tx, `work ${run}`);
      await attempt(stage, process, job, run);
      return finish();
    });
  } catch (error) {
    // Some processors ignore the error, although the commit may still be under way.
    if (world.choices.choose(2) === 0) throw error;
    pages?.forgetAfter(written);
    return resultOf(nextNumber());
  }
}

async function attempt(
  { world, ledger }: Stage,
  process: Process,
  { operationId, progress }: Job,
  run: number,
): Promise<void> {
  const report = (step: number): void => progress({ run, step });
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => world.clockOf(process).schedule(ms, resolve));
  const outcome = await world.call(process, `work(${short(operationId)})`, async () => {
    ledger.keys.effect(operationId);
    return world.choices.weighted([
      ["done", 6],
      ["reports", 2],
      ["slow", 2],
      ["throws", 2],
      ["impossible", 1],
      ["blocks", 1],
    ]);
  });
  if (outcome === "throws") {
    report(1);
    // This value waits for the first one to be written, so it is part of the settlement.
    report(2);
    throw Object.assign(new Error("simulated"), { code: `RUN-${run}` });
  }
  if (outcome === "impossible") throw permanentFailure(`The order cannot be fulfilled: ${run}.`);
  if (outcome === "blocks") world.freeze(process, LEASE_MS * 2);
  if (outcome === "reports" || outcome === "slow") {
    report(1);
    await pause(outcome === "slow" ? LEASE_MS : 1_000);
    report(2);
    await pause(outcome === "slow" ? LEASE_MS : 1_000);
  }
}

/** Processes a notice. Some notices end only by their attempt timeout, and some find that it is not their turn. */
export async function notify(
  { world, ledger }: Stage,
  process: Process,
  { operationId, signal, release }: Job,
): Promise<unknown> {
  const outcome = await world.call(process, `notify(${short(operationId)})`, async () => {
    ledger.keys.effect(operationId);
    return world.choices.weighted([
      ["done", 6],
      ["throws", 2],
      ["endless", 1],
      ["releases", 1],
    ]);
  });
  if (outcome === "throws") throw new Error("simulated");
  if (outcome === "releases") return release({ afterMs: 5_000 });
  if (outcome === "endless") await aborted(signal);
  return { notice: operationId };
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  throw signal.reason;
}
