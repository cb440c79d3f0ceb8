import type { Backend, ServiceEvent } from "async-request-reply";
import type { Operation } from "async-request-reply/ports";
import type {
  AdapterCase,
  Mounted,
  WireConnection,
  WireRequest,
  WireResponse,
} from "../support/adapter-suite/fixtures/adapter-case.js";
import { allOperations } from "../support/all-operations.js";
import { inside } from "../support/inside.js";
import type { ClosableHarness } from "./identity-adapters.js";
import { comparable, toPredictable } from "./predictable-service.js";

interface Exchange {
  readonly request: WireRequest;
  /** Absent if the client broke off. */
  reply?: WireResponse;
}

/** Runs a case behind an adapter. Returns all requests, replies and events, and the operations that it recorded. */
export async function transcribe(harness: ClosableHarness, run: AdapterCase["run"]) {
  const exchanges: Exchange[] = [];
  const events: unknown[] = [];
  const backends: Backend[] = [];
  await run({
    capabilities: harness.capabilities,
    createBackend: (options) => {
      const backend = harness.createBackend(options);
      backends.push(backend);
      return backend;
    },
    mount: async (service) => {
      const observe = (event: ServiceEvent): void => {
        events.push(toText(event));
        inside(service).observe(event);
      };
      return transcribed(await harness.mount(toPredictable(service, observe)), exchanges);
    },
  }).finally(harness.close);
  const recorded = await Promise.all(backends.map(({ operations }) => allOperations(operations)));
  return { exchanges, events, recorded: recorded.flat().map(withoutWorker) };
}

/** The worker of a case has its own id and the clock of the system, which a failed attempt shows. */
function withoutWorker({ lastError, ...operation }: Operation): Operation {
  if (lastError === undefined) return operation;
  const comparableError = lastError
    .replace(/"(at|ms)":\d+/g, '"$1":0')
    .replace(/"process":"\w+"/g, '"process":""');
  return { ...operation, lastError: comparableError };
}

/** Replaces what differs between two services in an event: its error by the text of it, the duration of a run, and the worker. */
export function toText(event: ServiceEvent): unknown {
  const ended = {
    ...event,
    ...("runMs" in event && event.runMs !== undefined && { runMs: 0 }),
    ...("process" in event && { process: "" }),
  };
  return "error" in ended ? { ...ended, error: String(ended.error) } : ended;
}

function transcribed({ send, open }: Mounted, exchanges: Exchange[]): Mounted {
  const begin = (request: WireRequest): Exchange => {
    const exchange: Exchange = { request };
    exchanges.push(exchange);
    return exchange;
  };
  return {
    send: async (request) => {
      const exchange = begin(request);
      const reply = await send(request);
      // After a disconnect the replies differ: a socket is gone, but a function still returns.
      if (!isBrokenOff(request)) exchange.reply = comparable(reply);
      return reply;
    },
    ...(open === undefined ? {} : { open: async () => transcribedConnection(await open(), begin) }),
  };
}

/** Whether the client disconnects in the middle of its upload. */
export function isBrokenOff({ body }: WireRequest): boolean {
  return typeof body === "object" && "end" in body && body.end === "abort";
}

function transcribedConnection(
  { write, read, ...connection }: WireConnection,
  begin: (request: WireRequest) => Exchange,
): WireConnection {
  const unanswered: Exchange[] = [];
  return {
    ...connection,
    write: (request) => {
      unanswered.push(begin(request));
      return write(request);
    },
    read: async () => {
      const reply = await read();
      const exchange = unanswered.shift();
      if (exchange !== undefined) exchange.reply = comparable(reply);
      return reply;
    },
  };
}
