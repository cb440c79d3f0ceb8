import {
  type Clock,
  type CreateResource,
  createMemoryBackend,
  createService,
  type Runtime,
  type Service,
} from "async-request-reply";
import { systemClock } from "../../src/ports/system-runtime.js";
import type { AdapterHarness, WireResponse } from "../../src/testing/suites/adapter/adapter-case.js";

// Two services that are given the same requests, in the same order, give the same bytes only when
// nothing in them is left to chance.

/** Its present stands still; its timers run all the same, because limits of time are among what is compared. */
const standingClock: Clock = { now: () => Date.UTC(2026, 0), schedule: systemClock.schedule };

/** The id of the operation that was counted so. */
export function idOf(count: number): string {
  return `0198cafe-0000-7000-9000-${count.toString(16).padStart(12, "0")}`;
}

/** A runtime that counts where the platform takes chances. */
export function createPredictableRuntime(): Partial<Runtime> {
  let ids = 0;
  let tokens = 0;
  return {
    clock: standingClock,
    newId: () => {
      ids += 1;
      return idOf(ids);
    },
    newToken: () => {
      tokens += 1;
      return `token-${tokens}`;
    },
    random: () => 0.5,
  };
}

/** A back end whose times are those of the runtime. */
export const createPredictableBackend: AdapterHarness["createBackend"] = (options) =>
  createMemoryBackend({ clock: standingClock, ...options });

/** The same service with nothing left to chance. */
export function toPredictable(service: Service): Service {
  const { definitions, backend, create, observe, settings, formats } = service;
  const { admit, ...others } = settings;
  return createService({
    definitions,
    backend,
    create: create as Readonly<Record<string, CreateResource<unknown, unknown>>>,
    observe,
    // JSON is the first, and always there.
    formats: formats.slice(1),
    runtime: createPredictableRuntime(),
    ...others,
    ...(admit === undefined ? {} : { admit }),
  });
}

/** Fields that servers add, for the connection or of their own accord. */
const FIELDS_OF_SERVERS = ["date", "connection", "keep-alive", "transfer-encoding"];

/** What a service alone answers for: the order of fields means nothing (RFC 9110 §5.3). */
export function comparable({ status, headers, body }: WireResponse): WireResponse {
  const own = headers.filter(([name]) => !FIELDS_OF_SERVERS.includes(name));
  return { status, headers: own.toSorted(([a], [b]) => (a < b ? -1 : 1)), body };
}
