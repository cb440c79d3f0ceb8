import type { Definitions } from "../contract/definition/definitions.js";
import { AsyncReplyError } from "../contract/errors.js";
import type { NewOperation } from "../contract/operation.js";
import type { Backend } from "../ports/backend.js";
import type { Runtime } from "../ports/runtime.js";
import { PendingCounts, type Place } from "./pending-counts.js";
import type { RetryAfterEstimate } from "./retry-after.js";

/** Keeps submissions within `limits.pending` and `limits.pendingPerTenant` of their definitions. */
export interface Backlog {
  /**
   * Takes a place for a new operation, or returns undefined if the definition has no limit. Resolves if there is room by a new
   * count, or if an earlier submission used the key. If there is room by a count of the last second, nothing is awaited.
   *
   * Rejects with `BACKLOG_FULL`, `TOO_MANY_PENDING` and errors of the stores.
   *
   * @param together Number of operations of this tenant that ask for their places at once, with this one. A count of the tenant
   * that began after some of them took theirs would miss those. Default: 1.
   */
  admit(operation: NewOperation, together?: number): Place | Promise<Place> | undefined;
}

/** Options of {@link createBacklog}. */
export interface BacklogOptions {
  readonly definitions: Definitions;
  readonly backend: Pick<Backend, "operations" | "submissions">;
  readonly runtime: Pick<Runtime, "clock" | "random">;
  readonly estimate: Pick<RetryAfterEstimate, "durationMs">;
  /** Called when a submission is refused. */
  readonly onRefused: (definition: string) => void;
  /** Waits for a call of a store for a limited time. Throws `STORE_UNAVAILABLE`. */
  readonly inTime: <Result>(call: Promise<Result>) => Promise<Result>;
}

interface PendingLimits {
  readonly pending: number;
  readonly pendingPerTenant: number;
  /** The higher one. A count of all tenants stops at it. */
  readonly most: number;
}

const NONE = Number.POSITIVE_INFINITY;
const MIN_WAIT_MS = 1_000;

/** Creates the backlog of a service. Returns undefined if no definition limits its pending operations. */
export function createBacklog(options: BacklogOptions): Backlog | undefined {
  const limited = limitsByName(options.definitions);
  if (limited.size === 0) return undefined;
  const { runtime, estimate, onRefused, inTime } = options;
  const { operations, submissions } = options.backend;
  const counts = new PendingCounts((requests) => inTime(operations.countPending(requests)), runtime.clock);

  async function admitCounted(
    operation: NewOperation,
    limits: PendingLimits,
    together: number,
  ): Promise<Place> {
    const { tenant, definition, key } = operation;
    const { pending, pendingPerTenant, most } = limits;
    const all = { definition, most };
    const own = { definition, tenant, most: pendingPerTenant };
    await counts.renewed(all);
    const countsOwn = counts.of(all) + together > pendingPerTenant;
    if (countsOwn) await counts.renewed(own);
    // Nothing is awaited until the place is taken, so that submissions that arrive at once do not all take the same one.
    const isFull = counts.of(all) >= pending;
    if (!isFull && !(countsOwn && counts.of(own) >= pendingPerTenant)) return counts.take(definition, tenant);
    // A repeated request gets its operation, however full the backlog is.
    if (key !== undefined && (await inTime(submissions.findKey({ tenant, definition, key }))) !== undefined)
      return counts.take(definition, tenant);
    onRefused(definition);
    throw isFull
      ? refused("BACKLOG_FULL", definition, pending)
      : refused("TOO_MANY_PENDING", definition, pendingPerTenant);
  }

  function refused(code: keyof typeof DETAILS, definition: string, limit: number): AsyncReplyError {
    // By Little's law, a backlog drains in the time that its operations take. A tenth of it makes room for some of those who
    // come back.
    const waitMs = Math.max(MIN_WAIT_MS, estimate.durationMs(definition) / 10) * (1 + runtime.random() / 2);
    const eventDetail = `${DETAILS[code]} The limit of "${definition}" is ${limit}. Add workers, or raise the limit.`;
    return new AsyncReplyError(code, DETAILS[code], {
      eventDetail,
      retryAfterSeconds: waitMs / 1_000,
      recorded: "no",
    });
  }

  return {
    admit: (operation, together = 1) => {
      const { definition, tenant } = operation;
      const limits = limited.get(definition);
      if (limits === undefined) return undefined;
      const { pending, pendingPerTenant, most } = limits;
      const all = { definition, most };
      const hasRoom =
        counts.renewed(all) === undefined && counts.of(all) + together <= Math.min(pending, pendingPerTenant);
      return hasRoom ? counts.take(definition, tenant) : admitCounted(operation, limits, together);
    },
  };
}

const DETAILS = {
  BACKLOG_FULL: "Too much work of this kind has not ended yet. Repeat the request later.",
  TOO_MANY_PENDING: "Too many of your operations of this kind have not ended yet. Repeat the request later.",
} as const;

function limitsByName(definitions: Definitions): ReadonlyMap<string, PendingLimits> {
  const limited = new Map<string, PendingLimits>();
  for (const { name, limits } of definitions) {
    const { pending = NONE, pendingPerTenant = NONE } = limits ?? {};
    const given = [pending, pendingPerTenant].filter((limit) => limit !== NONE);
    if (given.length > 0) limited.set(name, { pending, pendingPerTenant, most: Math.max(...given) });
  }
  return limited;
}
