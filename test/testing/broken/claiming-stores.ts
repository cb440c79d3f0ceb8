import { answering, asking, askingOf, beginning, creating, NOTHING, retrying } from "../changed-calls.js";
import { caughtBy, named, sharingAnswers } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

const OF_LIMITS = [
  "limits.claim",
  "limits.claim-flood",
  "limits.claim-crowd",
  "limits.claim-urgent",
  "limits.claim-lost-running-1",
  "limits.claim-lost-running-4",
  "limits.claim-lost-runningPerTenant-1",
  "limits.claim-lost-runningPerTenant-4",
];
const OF_NEXT = ["claim.next-delay", "claim.next-lease", "claim.next-retry"];

/** Stores that break a rule of claims. */
export const claimingStores = named<TrackedStore>({
  "claims nothing": caughtBy(
    ["claim.new", "claim.slots", "claim.once", "claim.due", "claim.lost", "claim.preparing", "lanes.claim"],
    () => ({ claim: async () => NOTHING }),
  ),
  "claims with a token of its own": caughtBy(["claim.new", "lanes.claim"], (store) =>
    asking(store, (request) => ({ ...request, token: `own ${request.token}` })),
  ),
  "claims more than there are slots": caughtBy(["claim.slots", "claim.urgent"], (store) =>
    asking(store, ({ definitions, ...request }) => ({
      ...request,
      limit: 1_000,
      definitions: definitions.map((definition) => ({ ...definition, slots: 1_000 })),
    })),
  ),
  "claims work of other definitions": caughtBy(["claim.definitions", "claim.nothing"], (store) =>
    asking(store, ({ definitions, ...request }) => ({
      ...request,
      definitions: ["orders", "reports"].flatMap((name) =>
        definitions.map((definition) => ({ ...definition, name })),
      ),
    })),
  ),
  "lets concurrent claims begin the same": caughtBy(["claim.once"], (store) => ({
    claim: sharingAnswers((request) => store.claim(request)),
  })),
  "begins delayed work at once": caughtBy(["claim.due", "claim.next-delay"], (store) =>
    creating(store, ({ delayMs: _, ...operation }) => operation),
  ),
  "retries at once": caughtBy(["claim.due", "claim.next-retry"], (store) =>
    retrying(store, (retry) => ({ ...retry, delayMs: 0 })),
  ),
  "begins any number of suspects": caughtBy(
    [
      "claim.lost",
      "claim.released-suspect",
      "claim.blocked-suspect",
      "claim.passed-suspects",
      "claim.passed-suspects-within-limits",
      "lanes.claim-lost",
    ],
    (store) => askingOf(store, () => ({ suspects: 1_000 })),
  ),
  "does not say that an attempt was lost": caughtBy(
    ["claim.lost", "claim.released-suspect", "takeover.repeated", "takeover.given-back", "preparing.lease"],
    (store) => beginning(store, ({ operation }) => ({ operation, previousLost: false })),
  ),
  "begins operations that the caller cannot finish": caughtBy(
    ["claim.preparing", "claim.without-create"],
    (store) => askingOf(store, () => ({ creates: true })),
  ),
  "withholds pending work from workers that cannot create": caughtBy(["claim.preparing"], (store) => ({
    claim: async (request) =>
      request.definitions.every(({ creates }) => creates === false) ? NOTHING : store.claim(request),
  })),
  "claims no hidden operations": caughtBy(["claim.hidden"], (store) =>
    answering(store, ({ begun, ...claimed }) => ({
      ...claimed,
      begun: begun.filter(({ operation }) => operation.hidden !== true),
    })),
  ),
  "ignores urgencies": caughtBy(["claim.urgent"], (store) =>
    creating(store, ({ urgency: _, ...operation }) => operation),
  ),
  "does not say that a claim ended an operation": caughtBy(
    ["claim.cancelled", "claim.cancelled-beside"],
    (store) => answering(store, (claimed) => ({ ...claimed, ended: [] })),
  ),
  "claims overdue work": caughtBy(["claim.overdue"], (store) =>
    creating(store, ({ startWithinMs: _, ...operation }) => operation),
  ),
  "takes a repeated claim for a new one": caughtBy(
    ["claim.repeated", "claim.repeated-ended", "claim.repeated-nothing"],
    (store) => asking(store, ({ repeated: _, ...request }) => request),
  ),
  "claims without regard to limits": caughtBy(
    [
      ...OF_LIMITS,
      "claim.blocked-limit",
      "limits.freed",
      "limits.cancelled",
      "limits.expired",
      "limits.race",
    ],
    (store) => askingOf(store, () => ({ limits: undefined })),
  ),
  "never says that it has looked at all tenants": caughtBy(["limits.claim-crowd"], (store) =>
    answering(store, (claimed) => ({ ...claimed, again: true })),
  ),
  "claims for twice the slots and places": caughtBy(["limits.claim-lost-slots"], (store) =>
    asking(store, ({ definitions, limit, ...request }) => ({
      ...request,
      limit: 2 * limit,
      definitions: definitions.map(({ slots, limits: { running = 1 } = {}, ...each }) => ({
        ...each,
        slots: 2 * slots,
        limits: { running: 2 * running },
      })),
    })),
  ),
  "says that no work is blocked": caughtBy(
    ["claim.blocked-lane", "claim.blocked-limit", "claim.blocked-pause", "claim.blocked-suspect"],
    (store) => answering(store, (claimed) => ({ ...claimed, blocked: false })),
  ),
  "says that all work is blocked": caughtBy(
    ["claim.nothing", "claim.next-delay", "claim.without-create"],
    (store) => answering(store, (claimed) => ({ ...claimed, blocked: true })),
  ),
  "does not say when more becomes due": caughtBy(
    [...OF_NEXT, "claim.blocked-lane", "claim.blocked-limit"],
    (store) => answering(store, ({ nextInMs: _, ...claimed }) => claimed),
  ),
  "says that more is always due at once": caughtBy(
    [...OF_NEXT, "claim.nothing", "claim.blocked-pause", "claim.blocked-suspect", "claim.without-create"],
    (store) => answering(store, (claimed) => ({ ...claimed, nextInMs: 1 })),
  ),
  "claims with leases that never end": caughtBy(["claim.next-lease", "claim.repeated-ended"], (store) =>
    askingOf(store, () => ({ leaseMs: 2_000_000_000 })),
  ),
  "claims work in the order of its creation, for all tenants together": caughtBy(
    ["turns.newcomer", "turns.round", "turns.reached"],
    (store) => creating(store, (operation) => ({ ...operation, tenant: "a" })),
  ),
  "claims the newest work first": caughtBy(["turns.oldest"], (store) => {
    let count = 0;
    return {
      create: (operation, initial) => {
        count += 1;
        return store.create({ ...operation, urgency: Math.max(0, 8 - count) }, initial);
      },
    };
  }),
  "keeps a slot free for another tenant": caughtBy(
    ["turns.newcomer", "turns.round", "turns.alone", "turns.later", "turns.urgent", "turns.reached"],
    (store) =>
      asking(store, ({ definitions, ...request }) => ({
        ...request,
        definitions: definitions.map((each) => ({ ...each, slots: Math.max(1, each.slots - 1) })),
      })),
  ),
  "adds up the suspects of all definitions": caughtBy(["claim.suspects"], (store) =>
    asking(store, ({ definitions, ...request }) => {
      const suspects = definitions.reduce((sum, each) => sum + each.suspects, 0);
      return { ...request, definitions: definitions.map((each) => ({ ...each, suspects })) };
    }),
  ),
  "remembers the answer to the last claim only, to return it again": caughtBy(
    ["claim.repeated-late"],
    (store) => {
      let last: string | undefined;
      return {
        claim: async ({ token, repeated = false, ...request }) => {
          if (repeated && token !== last) return NOTHING;
          last = token;
          return store.claim({ ...request, token, repeated });
        },
      };
    },
  ),
});
