import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createOrderService,
  type HttpResponse,
  type OrderServiceOptions,
  type RequestContext,
  type ServiceEvent,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { nextTurn } from "../../src/platform/waits.js";
import { interceptBackend, type PortCall } from "./intercept-backend.js";

const ORDER = { itemId: "pen", quantity: 2 };
export const tenant = "anonymous";

/** A service on a stopped clock, with everything that a test of waiting needs. */
export type WaitingService = ReturnType<typeof createWaitingService>;

interface WaitOptions {
  readonly context?: RequestContext;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Answers a call to the store instead of the store. */
type OnRead = (call: PortCall, proceed: () => Promise<unknown>) => Promise<unknown>;

export interface Given extends Partial<OrderServiceOptions<never>> {
  readonly random?: () => number;
  readonly onRead?: OnRead;
  /** Changes the store that the service sees. */
  readonly change?: (backend: Backend<never>) => Backend<never>;
}

export function createWaitingService(given: Given = {}) {
  const { random = () => 0, onRead = (_, proceed) => proceed(), change = (same) => same, ...options } = given;
  const clock = createManualClock();
  const memory = createMemoryBackend({ clock });
  const reads: string[][] = [];
  const events: ServiceEvent[] = [];
  const counted = interceptBackend(change(memory), (call, proceed) => {
    if (call.method !== "get" && call.method !== "getMany") return proceed();
    reads.push([call.args[0]].flat() as string[]);
    return onRead(call, proceed);
  }) as Backend<never>;
  const service = createOrderService({
    authorize: allowAnonymous(),
    backend: counted,
    runtime: { clock, random },
    observe: (event) => events.push(event),
    ...options,
  });
  return {
    service,
    backend: memory,
    clock,
    events,
    /** Ids of the reads of the store so far, one list per call. */
    reads,
    /** Submits an order and returns its id. */
    submit: async () => (await service.submit(service.definitions[0], ORDER, { tenant })).operationId,
    /** Ends an operation. */
    end: (id: string) => memory.operations.requestCancel(id, tenant),
    /** Sends a `GET` that waits for 20 s. Resolves when the request waits or has been answered. */
    wait: async (id: string, { context, fields = {} }: WaitOptions = {}) => {
      const headers = { prefer: "wait=20", ...fields };
      const reply = service.handle({ method: "GET", path: `/operations/${id}`, headers }, context);
      await nextTurn();
      return { reply };
    },
  };
}

/** The status in the body, and the applied preference. */
export function seen({ status, headers, body }: HttpResponse): unknown {
  const shown = typeof body === "string" ? (JSON.parse(body) as { status?: unknown }).status : undefined;
  return [status, shown, headers["preference-applied"]];
}

/** Returns whether a promise has settled by now. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = (): void => {
    settled = true;
  };
  promise.then(note, note);
  await nextTurn();
  return settled;
}

export const ENDED = [200, "failed", "wait=20"];
export const PENDING = [200, "pending", "wait=20"];
