import {
  type Clock,
  type CreateResource,
  createMemoryBackend,
  createService,
  type Observer,
  type Runtime,
  type Service,
} from "async-request-reply";
import { systemClock } from "../../src/platform/system-runtime.js";
import type { AdapterHarness, WireResponse } from "../support/adapter-suite/fixtures/adapter-case.js";
import { inside } from "../support/inside.js";

// Two services reply to the same requests with the same bytes only if ids, tokens, random numbers and the
// clock are deterministic.

/** A clock whose `now` never changes. Its timers run, because timeouts are compared too. */
const standingClock: Clock = { ...systemClock, now: () => Date.UTC(2026, 0) };

/** Returns the id of the nth operation, counted from 1. */
export function idOf(count: number): string {
  return `0198cafe-0000-7000-9000-${count.toString(16).padStart(12, "0")}`;
}

export function createPredictableRuntime(): Partial<Runtime> {
  let ids = 0;
  let tokens = 0;
  const newToken = () => `token-${++tokens}`;
  return { clock: standingClock, newId: () => idOf(++ids), newToken, random: () => 0.5 };
}

/** Creates a memory back end that uses the same clock as the runtime. */
export const createPredictableBackend: AdapterHarness["createBackend"] = (options) =>
  createMemoryBackend({ clock: standingClock, ...options });

/** Rebuilds a service with a predictable runtime. */
export function toPredictable(service: Service, observe: Observer = inside(service).observe): Service {
  const { definitions, backend, create, settings, formats } = inside(service);
  const { admit, ...others } = settings;
  return createService({
    definitions,
    backend,
    create: create as Readonly<Record<string, CreateResource<unknown, unknown>>>,
    observe,
    // JSON comes first and is always added.
    formats: formats.slice(1),
    runtime: createPredictableRuntime(),
    ...others,
    ...(admit === undefined ? {} : { admit }),
  });
}

/** Fields that servers add themselves. */
const FIELDS_OF_SERVERS = ["date", "connection", "keep-alive", "transfer-encoding"];

/** Drops fields added by the server and sorts the rest: the order of fields has no meaning (RFC 9110 §5.3). */
export function comparable({ status, headers, body }: WireResponse): WireResponse {
  const own = headers.filter(([name]) => !FIELDS_OF_SERVERS.includes(name));
  return { status, headers: own.toSorted(([a], [b]) => (a < b ? -1 : 1)), body };
}
