import {
  type Backend,
  createOrderService,
  createWorker,
  type HttpResponse,
  type OrderServiceOptions,
} from "async-request-reply";
import { expect } from "vitest";
import { type Change, request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { allOperations } from "../support/all-operations.js";
import { interceptBackend, type PortCall } from "../support/intercept-backend.js";
import { toHttpRequest } from "../support/plain-harness.js";

export const KEY = { "idempotency-key": "k" };

/** Creates an order service that stands for one process. Several of them can share a back end. */
export function createProcess(backend: Backend, options: Partial<OrderServiceOptions> = {}) {
  const service = createOrderService({ backend, authorize: () => ({ id: "a" }), ...options });
  const { handle } = service;
  return {
    service,
    /** Submits an order. Default change: the key {@link KEY}. */
    submit: (change: Change = { fields: KEY }) => handle(toHttpRequest(submission(change))),
    read: (path: string) => handle(toHttpRequest(request("GET", path))),
    cancel: (path: string) => handle(toHttpRequest(request("DELETE", path))),
  };
}

/** Wraps a back end, and notes the calls of its ports. */
export function watchedBackend(inner: Backend): { readonly backend: Backend; readonly calls: PortCall[] } {
  const calls: PortCall[] = [];
  const backend = interceptBackend(inner, (call, proceed) => {
    calls.push(call);
    return proceed();
  });
  return { backend, calls };
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

export const listed = (backend: Backend): Promise<readonly unknown[]> => allOperations(backend.operations);

/** Runs all due work and returns the number of runs of each operation. */
export async function runsOf(backend: Backend): Promise<readonly number[]> {
  const runs = new Map<string, number>();
  const { service } = createProcess(backend);
  await createWorker(service, {
    orders: (_, { operationId }) => void runs.set(operationId, (runs.get(operationId) ?? 0) + 1),
  }).runUntilIdle();
  return [...runs.values()];
}
