import { AsyncReplyError } from "../../contract/errors.js";
import type { DeliveryContext } from "../../ports/webhooks.js";
import { Traffic } from "./traffic.js";

/** How long a delivery may wait for a slot, as long as those in progress beside it are younger than this. */
const PATIENCE_MS = 250;
/** Bounds the memory for silent receivers that tenants make up. */
const MAX_TRAFFICS = 1_000;

/** How a delivery ended, as far as it tells something about the receiver. */
export type Verdict = "answered" | "timed-out" | "unknown";

/** One delivery in {@link SendingSlots}. */
export interface Visit {
  /**
   * Takes a slot for sending to an origin.
   *
   * Throws `RETRY_LATER` that does not count the attempt if there is no slot, or if the origin is postponed for the
   * tenant. Throws the reason of the signal if it is aborted first.
   */
  takeSlot(origin: string, signal: AbortSignal): Promise<void>;
  /** Ends the visit. Frees its slot if it has one. */
  leave(verdict: Verdict): void;
}

/**
 * Keeps silent receivers from taking all slots of a worker. Each tenant and each origin takes at most as many as it
 * leaves to others. An origin that timed out repeatedly is postponed for the tenant whose webhooks timed out: it may answer
 * those of others, at other paths.
 */
export interface SendingSlots {
  enter(tenant: string): Visit;
}

/** Creates the slots of a worker, one for each of its concurrent deliveries. */
export function createSendingSlots(
  concurrency: number,
  { runtime: { clock, random }, observe }: Pick<DeliveryContext, "runtime" | "observe">,
): SendingSlots {
  const tenants = new Map<string, Traffic>();
  const origins = new Map<string, Traffic>();
  /** From a tenant to an origin. */
  const routes = new Map<string, Traffic>();
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

  function later(reason: string, traffic: Traffic, now: number): AsyncReplyError {
    const retryAfterMs = traffic.nextTurnMs(now, random());
    return new AsyncReplyError("RETRY_LATER", reason, { retryAfterMs, countAttempt: false });
  }

  function judge(verdict: Verdict, route: Traffic, origin: string, tenant: string): void {
    if (verdict === "answered") route.answered();
    const delayMs = verdict === "timed-out" ? route.timedOut(clock.elapsed(), random()) : undefined;
    if (delayMs !== undefined) observe({ event: "webhook.postponed", origin, tenant, delayMs });
  }

  return {
    enter: (tenant) => {
      let free: ((verdict: Verdict) => void) | undefined;

      /** Takes a slot if there is one. Otherwise returns how long to wait for one. Milliseconds. */
      function tryToTake(origin: string): number | undefined {
        const now = clock.elapsed();
        const route = trafficOf(routes, JSON.stringify([tenant, origin]));
        if (route.isPostponed(now)) throw later("The receiver timed out repeatedly.", route, now);
        // The turns of a route come first: a silent one must not use up those of its tenant.
        const all = [route, trafficOf(origins, origin), trafficOf(tenants, tenant)];
        const full = all.find((traffic) => !traffic.hasRoom(concurrency - taken));
        if (full !== undefined) {
          const patienceMs = PATIENCE_MS - full.ageMs(now);
          if (patienceMs > 0) return patienceMs;
          throw later("Other webhooks of the tenant or to the receiver take long.", full, now);
        }
        taken += 1;
        for (const traffic of all) traffic.start(now);
        free = (verdict) => {
          taken -= 1;
          for (const traffic of all) traffic.end(now, clock.elapsed());
          judge(verdict, route, origin, tenant);
          for (const wake of waiting) wake();
        };
        return undefined;
      }

      return {
        takeSlot: async (origin, signal) => {
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

/** Returns the traffic with a name. Forgets those that say nothing, and beyond the limit the oldest silent ones. */
function trafficOf(all: Map<string, Traffic>, name: string): Traffic {
  const known = all.get(name);
  if (known !== undefined) return known;
  for (const [other, traffic] of all)
    if (traffic.isIdle && (!traffic.isSilent || all.size >= MAX_TRAFFICS)) all.delete(other);
  const traffic = new Traffic();
  all.set(name, traffic);
  return traffic;
}
