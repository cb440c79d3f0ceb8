import { unauthenticated } from "../../contract/errors.js";
import type { OrderDefinition } from "../../contract/order.js";
import type { Service } from "../../http/context.js";
import type { HttpRequest, HttpResponse } from "../../http/message/message.js";
import { createService } from "../../http/service.js";
import type { AuthorizationRequest, Principal } from "../../ports/authorize.js";
import type { Runtime } from "../../ports/runtime.js";
import { createWorker, type Worker } from "../../worker/worker.js";
import { NOTICES, notify } from "./notices.js";
import { portsOf } from "./ports.js";
import type { Stage } from "./stage.js";
import { creatorsOf, LEASE_MS, orders, work } from "./work.js";
import { Process } from "./world.js";

const SWEEP_MS = 10_000;
/** Slow work ends before, unless its process stands still or time jumps. */
const ATTEMPT_TIMEOUT_MS = 90_000;

/** A process that accepts requests; when it dies another takes its name. */
export interface Api {
  readonly service: Service<readonly [OrderDefinition]>;
  readonly process: Process;
}

/** Starts a process that accepts requests. */
export function startApi(stage: Stage, name: string): Api {
  const process = new Process(name);
  const service = createService({
    definitions: [orders],
    create: creatorsOf(stage, process),
    backend: portsOf(stage, process),
    authorize: readCaller,
    observe: false,
    runtime: runtimeOf(stage, process),
    leaseMs: LEASE_MS,
  });
  return { service, process };
}

/** Starts a worker, and another one whenever it dies or is stopped. */
export async function keepWorker(stage: Stage, name: string, over: () => boolean): Promise<void> {
  for (;;) {
    const process = new Process(name);
    const worker = startWorker(stage, process);
    await worker.start();
    await Promise.race([process.death, stopped(stage, process, worker, over)]);
  }
}

function startWorker(stage: Stage, process: Process): Worker {
  return createWorker(
    {
      definitions: [orders, NOTICES],
      create: creatorsOf(stage, process),
      backend: portsOf(stage, process),
      runtime: runtimeOf(stage, process),
      observe: false,
    },
    {
      orders: (_order, job) => work(stage, process, job),
      notices: (_notice, job) => notify(stage, process, job),
    },
    {
      leaseMs: LEASE_MS,
      attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
      sweepIntervalMs: SWEEP_MS,
      concurrency: 3,
    },
  );
}

/** Stops a worker after a while, as a deployment does. Most are never stopped. */
function stopped({ world }: Stage, process: Process, worker: Worker, over: () => boolean): Promise<void> {
  const when = world.choices.weighted([
    ["never", 4],
    ["soon", 1],
    ["late", 1],
  ]);
  return new Promise((resolve) => {
    const stop = (): void => {
      if (over()) return;
      world.note(`${process.name} is stopped`);
      void worker.stop().then(resolve, resolve);
    };
    if (when !== "never") world.clockOf(process).schedule(when === "soon" ? 15_000 : 300_000, stop);
  });
}

/** Sends one request to a process; undefined when the process died before it answered. */
export async function send(
  { service, process }: Api,
  request: HttpRequest,
): Promise<HttpResponse | undefined> {
  return Promise.race([service.handle(request), process.death.then(() => undefined)]);
}

/** Clients name themselves and their tenant. */
function readCaller(request: AuthorizationRequest): Principal {
  const [id, tenant] = request.header("authorization")?.split(" ") ?? [];
  if (id === undefined || tenant === undefined) throw unauthenticated();
  return { id, tenant };
}

function runtimeOf({ world, nextNumber, newId }: Stage, process: Process): Runtime {
  return {
    clock: world.clockOf(process),
    newId,
    newToken: () => `t${nextNumber()}`,
    random: () => world.choices.choose(8) / 8,
    pause: async () => {},
    // Not a good hash, but the same for the same text, which is all that a fingerprint is asked for here.
    hash: (text) => text,
  };
}
