import { setTimeout as sleep } from "node:timers/promises";
import {
  defineOperation,
  defineOrders,
  type Job,
  type ProcessorOptions,
  permanentFailure,
} from "async-request-reply";
import * as z from "zod";

const HOUR_MS = 3_600_000;
const kept = { retentionMs: HOUR_MS, failedRetentionMs: HOUR_MS, cancellable: true } as const;

export const orders = defineOrders(kept);
export const emails = defineOperation({
  ...kept,
  name: "emails",
  path: "/emails",
  input: z.object({ to: z.string() }),
});
/** So slow that a backlog grows. */
export const reports = defineOperation({
  ...kept,
  name: "reports",
  path: "/reports",
  input: z.object({ month: z.int() }),
  limits: { running: 3 },
});
/** So unreliable that most need several attempts. */
export const imports = defineOperation({
  ...kept,
  name: "imports",
  path: "/imports",
  input: z.object({ rows: z.int() }),
});
/** Paused, so the backlog becomes full and submissions are refused. */
export const invoices = defineOperation({
  ...kept,
  name: "invoices",
  path: "/invoices",
  input: z.object({ order: z.int() }),
  limits: { pendingPerTenant: 10 },
});

export const definitions = [orders, emails, reports, imports, invoices] as const;

/** Attempts of the demo fail and are repeated soon. */
const options: ProcessorOptions = { maxAttempts: 3, backoff: { baseMs: 500, maxMs: 4_000 } };

/** Waits for about this time. */
async function work({ signal }: Pick<Job, "signal">, ms: number): Promise<void> {
  await sleep(ms * (0.5 + Math.random()), undefined, { signal });
}

/** Returns whether something happens that has this chance. */
export function chance(share: number): boolean {
  return Math.random() < share;
}

export const processors = {
  orders: {
    ...options,
    run: async ({ itemId, quantity }: { readonly itemId: string; readonly quantity: number }, job: Job) => {
      await work(job, chance(0.05) ? 3_000 : 150);
      if (chance(0.02)) throw permanentFailure(`The item ${itemId} is out of stock.`);
      if (chance(0.05)) throw new Error("The carrier did not answer.");
      return { itemId, quantity, shipped: true };
    },
  },
  emails: {
    ...options,
    run: async ({ to }: { readonly to: string }, job: Job) => {
      await work(job, 30);
      if (chance(0.04)) throw permanentFailure(`The mailbox ${to} does not exist.`);
    },
  },
  reports: {
    ...options,
    run: async ({ month }: { readonly month: number }, job: Job) => {
      for (let done = 0; done < 10; done += 1) {
        await work(job, 400);
        job.progress({ percent: 10 * (done + 1) });
      }
      return { month, pages: 12 };
    },
  },
  imports: {
    ...options,
    run: async ({ rows }: { readonly rows: number }, job: Job) => {
      await work(job, rows);
      if (chance(0.5)) throw new Error(`The connection to the source was lost after ${rows} rows.`);
      return { rows };
    },
  },
  invoices: { ...options, run: () => {} },
};
