import type { OrderDefinition } from "../../../contract/definition/order.js";
import { unauthenticated } from "../../../contract/errors.js";
import type { HttpRequest, HttpResponse } from "../../../http/message/message.js";
import type { AuthorizationRequest, Principal } from "../../../ports/authorize.js";
import type { Runtime } from "../../../ports/runtime.js";
import { createService } from "../../../service/create-service.js";
import type { Service } from "../../../service/service.js";
import type { ProcessorOptions } from "../../../worker/settings.js";
import { createWorker, type Worker } from "../../../worker/worker.js";
import { portsOf } from "../ports/ports.js";
import type { Stage } from "../stage.js";
import { hashOf } from "../world/hash.js";
import { Process } from "../world/process.js";
import { NOTICES, type NoticeDefinition } from "./notices.js";
import { type DefinitionName, LEASE_MS, LEAST_RANDOM, PROCESSOR_OPTIONS, WORKER_OPTIONS } from "./options.js";
import { webhooksOf } from "./receivers.js";
import { runNowAndThen } from "./runs.js";
import { creatorsOf, notify, work } from "./work.js";

/** A process that accepts requests. If it dies, another one with the same name replaces it. */
export interface Api {
  readonly service: Service<readonly [OrderDefinition, NoticeDefinition]>;
  readonly process: Process;
}

/** Starts a process that accepts requests. */
function startApi(stage: Stage, name: string): Api {
  const process = new Process(name);
  const service = createService({
    definitions: [stage.orders, NOTICES],
    create: creatorsOf(stage, process),
    backend: portsOf(stage, process),
    ...webhooksOf(stage, process),
    authorize: readCaller,
    observe: false,
    runtime: runtimeOf(stage, process),
    leaseMs: LEASE_MS,
  });
  return { service, process };
}

/** The processes that accept requests. */
export interface Apis {
  /** Returns any of the processes. If it has died, a new one replaces it first. */
  any(): Api;
}

/** Starts the processes that accept requests. */
export function createApis(stage: Stage, count: number): Apis {
  const running = Array.from({ length: count }, (_, index) => startApi(stage, `api-${index + 1}`));
  return {
    any: () => {
      const index = stage.world.choices.choose(count);
      const api = running[index] as Api;
      if (!api.process.dead) return api;
      const next = startApi(stage, api.process.name);
      running[index] = next;
      return next;
    },
  };
}

/** Keeps one worker working: creates another one each time the worker dies, stops or has had its runs. */
export async function keepWorker(stage: Stage, name: string, over: () => boolean): Promise<void> {
  for (;;) {
    const process = new Process(name);
    const way = stage.world.choices.weighted([
      ["stays", 3],
      ["runs", 1],
    ]);
    if (way === "runs") {
      // With a time limit, orders would not begin when they could be interrupted by the end of a run.
      const { attemptTimeoutMs: _, ...orders } = PROCESSOR_OPTIONS.orders;
      const worker = createWorkerOf(stage, process, { ...PROCESSOR_OPTIONS, orders });
      await Promise.race([process.death, runNowAndThen(stage, process, worker)]);
    } else {
      const worker = createWorkerOf(stage, process, PROCESSOR_OPTIONS);
      await worker.start();
      await Promise.race([process.death, stopLater(stage, process, worker, over)]);
    }
  }
}

function createWorkerOf(
  stage: Stage,
  process: Process,
  options: Readonly<Record<DefinitionName, ProcessorOptions>>,
): Worker {
  const { attempts } = stage.ledger;
  return createWorker(
    {
      definitions: [stage.orders, NOTICES],
      create: creatorsOf(stage, process),
      backend: portsOf(stage, process),
      ...webhooksOf(stage, process),
      runtime: runtimeOf(stage, process),
      observe: false,
    },
    {
      orders: {
        ...options.orders,
        run: (_order, job) => attempts.run(process, "orders", job, () => work(stage, process, job)),
      },
      notices: {
        ...options.notices,
        run: (_notice, job) => attempts.run(process, "notices", job, () => notify(stage, process, job)),
      },
    },
    WORKER_OPTIONS,
  );
}

/**
 * Stops a worker after a while, as a deployment does. Resolves when it has stopped. Most workers are never stopped.
 */
function stopLater({ world }: Stage, process: Process, worker: Worker, over: () => boolean): Promise<void> {
  const when = world.choices.weighted([
    ["never", 4],
    ["soon", 1],
    ["late", 1],
  ]);
  return new Promise((resolve) => {
    const stop = (): void => {
      if (over()) return;
      world.note(`${process.name} stops`);
      void worker.stop().then(resolve, resolve);
    };
    if (when !== "never") world.clockOf(process).schedule(when === "soon" ? 15_000 : 300_000, stop);
  });
}

/** Sends one request to a process. Returns `undefined` if the process died before it replied. */
export async function send(
  { service, process }: Api,
  request: HttpRequest,
): Promise<HttpResponse | undefined> {
  return Promise.race([service.handle(request), process.death.then(() => undefined)]);
}

/** Reads who sends a request. Clients send their name and their tenant. */
function readCaller(request: AuthorizationRequest): Principal {
  const [id, tenant] = request.header("authorization")?.split(" ") ?? [];
  if (id === undefined || tenant === undefined) throw unauthenticated();
  return { id, tenant };
}

/** Creates the runtime of one process. Its time, ids and random numbers come from the world. */
export function runtimeOf({ world, nextNumber, newId }: Stage, process: Process): Runtime {
  return {
    clock: world.clockOf(process),
    newId,
    newToken: () => `t${nextNumber()}`,
    random: () => LEAST_RANDOM + world.choices.choose(7) / 8,
    pause: async () => {},
    hash: hashOf,
  };
}
