import { AsyncReplyError } from "../../contract/errors.js";
import type { DeliveryContext } from "../../ports/webhooks.js";
import { Lane } from "./lane.js";

/** How long a delivery may wait for a place, as long as those in progress in its lane are younger than this. */
const PATIENCE_MS = 250;
/** Bounds the memory for silent receivers that tenants make up. */
const MAX_LANES = 1_000;

/** How a delivery ended, as far as it tells something about the receiver. */
export type Verdict = "answered" | "timed-out" | "unknown";

/** One delivery in {@link Places}. */
export interface Visit {
  /**
   * Takes a place for sending to an origin.
   *
   * Throws `RETRY_LATER` that does not count the attempt if there is no place, or if the origin is postponed for the
   * tenant. Throws the reason of the signal if it is aborted first.
   */
  takePlace(origin: string, signal: AbortSignal): Promise<void>;
  /** Ends the visit. Frees its place if it has one. */
  leave(verdict: Verdict): void;
}

/**
 * Keeps silent receivers from taking all slots of a worker. Each tenant and each origin takes at most as many as it
 * leaves to others. An origin that timed out repeatedly is postponed for the tenant whose webhooks timed out: it may answer
 * those of others, at other paths.
 */
export interface Places {
  enter(tenant: string): Visit;
}

/** Creates the places of a worker, one for each of its concurrent deliveries. */
export function createPlaces(
  concurrency: number,
  { runtime: { clock, random }, observe }: Pick<DeliveryContext, "runtime" | "observe">,
): Places {
  const tenants = new Map<string, Lane>();
  const origins = new Map<string, Lane>();
  /** From a tenant to an origin. */
  const routes = new Map<string, Lane>();
  const waiting = new Set<() => void>();
  let taken = 0;

  /** Waits until a delivery ends, but at most for a time. Milliseconds. */
  function untilFreed(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        waiting.delete(wake);
        cancelTimer();
        resolve();
      };
      const cancelTimer = clock.schedule(ms, wake);
      waiting.add(wake);
    });
  }

  function later(reason: string, lane: Lane, now: number): AsyncReplyError {
    const retryAfterMs = lane.nextTurnMs(now, random());
    return new AsyncReplyError("RETRY_LATER", reason, { retryAfterMs, countAttempt: false });
  }

  function judge(verdict: Verdict, route: Lane, origin: string, tenant: string): void {
    if (verdict === "answered") route.answered();
    const delayMs = verdict === "timed-out" ? route.timedOut(clock.elapsed(), random()) : undefined;
    if (delayMs !== undefined) observe({ event: "webhook.postponed", origin, tenant, delayMs });
  }

  return {
    enter: (tenant) => {
      let free: ((verdict: Verdict) => void) | undefined;

      /** Takes a place if there is one. Otherwise returns how long to wait for one. Milliseconds. */
      function tryToTake(origin: string): number | undefined {
        const now = clock.elapsed();
        const route = laneOf(routes, JSON.stringify([tenant, origin]));
        if (route.isPostponed(now)) throw later("The receiver timed out repeatedly.", route, now);
        // The turns of a route come first: a silent one must not use up those of its tenant.
        const lanes = [route, laneOf(origins, origin), laneOf(tenants, tenant)];
        const full = lanes.find((lane) => !lane.hasRoom(concurrency - taken));
        if (full !== undefined) {
          const patienceMs = PATIENCE_MS - full.ageMs(now);
          if (patienceMs > 0) return patienceMs;
          throw later("Other webhooks of the tenant or to the receiver take long.", full, now);
        }
        taken += 1;
        for (const lane of lanes) lane.start(now);
        free = (verdict) => {
          taken -= 1;
          for (const lane of lanes) lane.end(now, clock.elapsed());
          judge(verdict, route, origin, tenant);
          for (const wake of waiting) wake();
        };
        return undefined;
      }

      return {
        takePlace: async (origin, signal) => {
          signal.throwIfAborted();
          for (let waitMs = tryToTake(origin); waitMs !== undefined; waitMs = tryToTake(origin)) {
            await untilFreed(waitMs);
            signal.throwIfAborted();
          }
        },
        leave: (verdict) => free?.(verdict),
      };
    },
  };
}

/** Returns the lane with a name. Forgets lanes that say nothing, and beyond the limit the oldest silent ones. */
function laneOf(lanes: Map<string, Lane>, name: string): Lane {
  const known = lanes.get(name);
  if (known !== undefined) return known;
  for (const [other, lane] of lanes)
    if (lane.isIdle && (!lane.isSilent || lanes.size >= MAX_LANES)) lanes.delete(other);
  const lane = new Lane();
  lanes.set(name, lane);
  return lane;
}
