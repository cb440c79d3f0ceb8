import { permanentFailure } from "../../core/errors.js";
import { defineOrders, type OrderDefinition } from "../../core/order.js";
import type { Service } from "../../http/context.js";
import type { HttpRequest, HttpResponse } from "../../http/message.js";
import { createService } from "../../http/service.js";
import type { Backend } from "../../ports/backend.js";
import type { Runtime } from "../../ports/runtime.js";
import { createWorker } from "../../worker/worker.js";
import type { Ledger } from "./ledger.js";
import { portsOf, type Wakeups } from "./ports.js";
import { Process, type World } from "./world.js";

/** What all processes of a history share. */
export interface Stage {
  readonly world: World;
  readonly ledger: Ledger;
  readonly backend: Backend;
  readonly wakeups: Wakeups;
  /** Whether orders are created before the reply (201). */
  readonly creates: boolean;
  /** Numbers ids and tokens, so that equal choices make equal histories. */
  readonly nextNumber: () => number;
}

const LEASE_MS = 30_000;
export const RETENTION_MS = 3_600_000;
const SWEEP_MS = 10_000;

/** A process that accepts requests; when it dies another takes its name. */
export interface Api {
  readonly service: Service<readonly [OrderDefinition]>;
  readonly process: Process;
}

/** Starts a process that accepts requests. */
export function startApi(stage: Stage, name: string): Api {
  const process = new Process(name);
  const service = createService({
    operations: [ordersOf(stage, process)],
    backend: portsOf(stage.backend, process, stage.world, stage.ledger, stage.wakeups),
    authorize: (request) => ({ id: request.header("authorization") ?? "nobody" }),
    runtime: runtimeOf(stage, process),
    leaseMs: LEASE_MS,
  });
  return { service, process };
}

/** Starts a worker, and another one whenever it dies. */
export async function keepWorker(stage: Stage, name: string, over: () => boolean): Promise<void> {
  while (!over()) {
    const process = new Process(name);
    const worker = createWorker(
      {
        operations: [ordersOf(stage, process)],
        backend: portsOf(stage.backend, process, stage.world, stage.ledger, stage.wakeups),
        runtime: runtimeOf(stage, process),
      },
      { orders: (_order, job) => work(stage, process, job.operationId) },
      { leaseMs: LEASE_MS, retentionMs: RETENTION_MS, sweepIntervalMs: SWEEP_MS, concurrency: 3 },
    );
    await worker.start();
    await process.death;
  }
}

/** Sends one request to a process; undefined when the process died before it answered. */
export async function send(
  { service, process }: Api,
  request: HttpRequest,
): Promise<HttpResponse | undefined> {
  return Promise.race([service.handle(request), process.death.then(() => undefined)]);
}

function ordersOf({ creates, world, ledger }: Stage, process: Process): OrderDefinition {
  if (!creates) return defineOrders({ cancellable: true });
  return defineOrders({
    cancellable: true,
    create: async (_order, { operationId }) => {
      const outcome = await world.call(process, `create-resource(${operationId.slice(-4)})`, async () => {
        ledger.effect(operationId);
        return world.choices.weighted([
          ["created", 8],
          ["throws", 1],
          ["impossible", 1],
        ]);
      });
      if (outcome === "throws") throw new Error("simulated");
      if (outcome === "impossible") throw permanentFailure("simulated");
      return { body: { order: operationId } };
    },
  });
}

async function work({ world, ledger }: Stage, process: Process, operationId: string): Promise<void> {
  const outcome = await world.call(process, `work(${operationId.slice(-4)})`, async () => {
    ledger.effect(operationId);
    return world.choices.weighted([
      ["done", 8],
      ["slow", 2],
      ["throws", 2],
      ["impossible", 1],
      ["blocks", 1],
    ]);
  });
  if (outcome === "throws") throw new Error("simulated");
  if (outcome === "impossible") throw permanentFailure("simulated");
  if (outcome === "slow")
    await new Promise<void>((resolve) => world.clockOf(process).schedule(LEASE_MS * 2, resolve));
}

function runtimeOf({ world, nextNumber }: Stage, process: Process): Runtime {
  return {
    clock: world.clockOf(process),
    newId: () => `00000000-0000-7000-8000-${nextNumber().toString().padStart(12, "0")}`,
    newToken: () => `t${nextNumber()}`,
    random: () => world.choices.choose(8) / 8,
    pause: async () => {},
    // Not a good hash, but the same for the same text, which is all that a fingerprint is asked for here.
    hash: (text) => text,
  };
}
