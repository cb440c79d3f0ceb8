import {
  type Backend,
  createOrderService,
  createWorker,
  type HttpResponse,
  type OrderServiceOptions,
  type Service,
} from "async-request-reply";
import { expect } from "vitest";
import { type Change, request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { allOperations } from "../support/all-operations.js";
import { toHttpRequest } from "../support/plain-harness.js";

export const KEY = { "idempotency-key": "k" };

/** An order service that stands for one process. Several of them can share a back end. */
export interface ServiceProcess {
  readonly service: ReturnType<typeof createOrderService>;
  /** Submits an order. Default change: the key {@link KEY}. */
  submit(change?: Change): Promise<HttpResponse>;
  read(path: string): Promise<HttpResponse>;
  cancel(path: string): Promise<HttpResponse>;
}

export function createProcess(backend: Backend, options: Partial<OrderServiceOptions> = {}): ServiceProcess {
  const service = createOrderService({ backend, authorize: () => ({ id: "a" }), ...options });
  const handle: Service["handle"] = service.handle;
  return {
    service,
    submit: (change = { fields: KEY }) => handle(toHttpRequest(submission(change))),
    read: (path) => handle(toHttpRequest(request("GET", path))),
    cancel: (path) => handle(toHttpRequest(request("DELETE", path))),
  };
}

/** Returns the id of the operation in a 202 reply. */
export function idOf({ status, body }: HttpResponse): string {
  expect([status, body]).toEqual([202, expect.any(String)]);
  return (JSON.parse(String(body)) as { operationId: string }).operationId;
}

/** Returns the `type` of a problem reply. */
export function typeOf({ body }: HttpResponse): string {
  return (JSON.parse(String(body)) as { type: string }).type;
}

export async function listed(backend: Backend): Promise<readonly unknown[]> {
  return allOperations(backend.operations);
}

/** Runs all due work and returns the number of runs of each operation. */
export async function runsOf(backend: Backend): Promise<readonly number[]> {
  const runs = new Map<string, number>();
  const { service } = createProcess(backend);
  await createWorker(service, {
    orders: (_, { operationId }) => void runs.set(operationId, (runs.get(operationId) ?? 0) + 1),
  }).runUntilIdle();
  return [...runs.values()];
}
