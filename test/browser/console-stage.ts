import {
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  permanentFailure,
} from "async-request-reply";
import { basic, createConsole } from "async-request-reply/console";
import { toNodeHandler } from "async-request-reply/node";
import { createOperator, type Operator } from "async-request-reply/operator";
import { createManualClock } from "async-request-reply/testing";
import { createWebhooks, webhookDeliveries } from "async-request-reply/webhooks";
import { v7 } from "uuid";
import { onTestFinished } from "vitest";
import * as z from "zod";
import { claimOne } from "../support/claims.js";
import { listen } from "./cors-service.js";

const HOUR_MS = 3_600_000;
/** How long work waits for its worker. */
const WAIT_MS = 2_000;
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/** The tenants, and who asks for their work. */
const TENANTS = [
  { tenant: "acme", principal: "ann" },
  { tenant: "globex", principal: "bob" },
  { tenant: "initech", principal: "cron" },
] as const;

/** Outcome of the work: it completes, is refused, or fails because the carrier is down. */
const FATES = ["completes", "is refused", "needs the carrier"] as const;
type Fate = (typeof FATES)[number];

const input = z.strictObject({ item: z.string(), fate: z.enum(FATES) });
const definitions = [
  defineOperation({ name: "orders", path: "/orders", input, cancellable: true }),
  defineOperation({ name: "invoices", path: "/invoices", input }),
  defineOperation({ name: "reports", path: "/reports", input }),
] as const;

/** A console with a few hours of work behind it. */
export interface ConsoleStage {
  /** Address of the console. */
  readonly url: string;
  readonly operator: Operator;
  /** Submits work that is due now, and returns the id of its operation. */
  submit(fate: Fate, definition?: number, tenant?: number): Promise<string>;
  /** Begins an attempt 2 s later like a worker that then dies. After its lease, another one can begin. */
  begin(operationId: string, leaseMs: number): Promise<void>;
  /** Runs everything that is due. */
  work(): Promise<void>;
  /** Submits work, and runs it with all of its attempts. */
  end(fate: Fate, definition?: number, tenant?: number): Promise<string>;
}

/** Passwords of the console, by what they allow. */
export const CREDENTIALS = {
  observe: { username: "ann", password: "watch" },
  operate: { username: "ann", password: "work" },
} as const;

/** Starts a server with a console under `/ops/console`, on a clock that is behind, and that work puts forward. */
export async function startConsole(behindMs = 5 * HOUR_MS): Promise<ConsoleStage> {
  const clock = createManualClock(Date.now() - behindMs);
  const backend = createMemoryBackend({ clock });
  const runtime = { clock, newId: () => v7({ msecs: clock.now() }) };
  let deliveries = 0;
  const webhooks = createWebhooks({
    endpoint: () => ({ url: "https://hooks.example/orders", secrets: [SECRET] }),
    // Every second delivery is refused at first.
    send: async () => ({ status: ++deliveries % 2 === 0 ? 204 : 503 }),
  });
  const service = createService({
    definitions,
    backend,
    webhooks,
    runtime,
    authorize: () => undefined,
    observe: false,
  });
  let connections = 0;
  const run = ({ item, fate }: z.output<typeof input>): { shipped: string } => {
    if (fate === "is refused") throw permanentFailure("The item is out of stock.");
    if (fate === "needs the carrier")
      throw Object.assign(new Error(`connect 10.0.0.${++connections}:443`), {
        name: "CarrierError",
        code: "ECONNREFUSED",
      });
    return { shipped: item };
  };
  const worker = createWorker(service, { orders: run, invoices: run, reports: run }, { maxAttempts: 3 });
  const submit: ConsoleStage["submit"] = async (fate, definition = 0, tenant = 0) => {
    const chosen = definitions[definition] ?? definitions[0];
    const who = TENANTS[tenant] ?? TENANTS[0];
    return (await service.submit(chosen, { item: "A-100", fate }, who)).operationId;
  };
  const end: ConsoleStage["end"] = async (...given) => {
    const id = await submit(...given);
    await clock.advance(WAIT_MS);
    for (let step = 0; step < 3; step += 1) {
      await worker.runUntilIdle();
      await clock.advance(60_000);
    }
    await worker.runUntilIdle();
    return id;
  };
  const begin: ConsoleStage["begin"] = async (id, leaseMs) => {
    await clock.advance(WAIT_MS);
    const token = `${clock.now().toString(16).padStart(12, "0")}-0badcafe-0123456789ab`;
    await claimOne(backend.operations, id, { token, leaseMs });
    if (leaseMs < 60_000) await clock.advance(leaseMs - WAIT_MS);
  };
  const all = [...definitions, webhookDeliveries];
  const operator = createOperator({ backend, definitions: all, observe: false });
  const console = createConsole({
    operator,
    observe: false,
    authorize: basic({
      [CREDENTIALS.observe.password]: "observe",
      [CREDENTIALS.operate.password]: "operate",
    }),
  });
  onTestFinished(async () => {
    await console.close();
    await service.close();
  });
  return {
    url: `${await listen(toNodeHandler(console))}/ops/console`,
    operator,
    submit,
    begin,
    work: async () => void (await worker.runUntilIdle()),
    end,
  };
}

/** How long the work takes that fills a stage. */
export const FILL_MS = 60 * (WAIT_MS + 3 * 60_000);

/** Fills a stage with work of several hours, as in a picture. */
export async function fill({ end, submit }: ConsoleStage): Promise<void> {
  for (let count = 0; count < 60; count += 1) {
    let fate: Fate = "completes";
    if (count % 13 === 5) fate = "is refused";
    if (count % 9 === 4) fate = "needs the carrier";
    await end(fate, count % 3, (count >> 1) % 3);
  }
  for (let count = 0; count < 7; count += 1) await submit("completes", count % 2, count % 3);
}
