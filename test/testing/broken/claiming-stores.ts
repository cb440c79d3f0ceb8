import { answering, asking, askingOf, beginning, NOTHING } from "../changed-claims.js";
import { type BrokenPort, sharingAnswers } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

const OF_LIMITS = [
  "limits.claim",
  "limits.claim-flood",
  "limits.claim-urgent",
  "limits.claim-lost-running-1",
  "limits.claim-lost-running-4",
  "limits.claim-lost-runningPerTenant-1",
  "limits.claim-lost-runningPerTenant-4",
];
const OF_NEXT = ["claim.next-delay", "claim.next-lease", "claim.next-retry"];

/** Stores that break a rule of claims. */
export const claimingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "claims nothing",
    caughtBy: [
      "claim.new",
      "claim.slots",
      "claim.once",
      "claim.due",
      "claim.lost",
      "claim.preparing",
      "lanes.claim",
    ],
    methods: () => ({ claim: async () => NOTHING }),
  },
  {
    name: "claims with a token of its own",
    caughtBy: ["claim.new", "lanes.claim"],
    methods: (store) => ({
      claim: asking(store, (request) => ({ ...request, token: `own ${request.token}` })),
    }),
  },
  {
    name: "claims more than there are slots",
    caughtBy: ["claim.slots", "claim.urgent"],
    methods: (store) => ({
      claim: asking(store, ({ definitions, ...request }) => ({
        ...request,
        limit: 1_000,
        definitions: definitions.map((definition) => ({ ...definition, slots: 1_000 })),
      })),
    }),
  },
  {
    name: "claims work of other definitions",
    caughtBy: ["claim.definitions", "claim.nothing"],
    methods: (store) => ({
      claim: asking(store, ({ definitions, ...request }) => ({
        ...request,
        definitions: ["orders", "reports"].flatMap((name) =>
          definitions.map((definition) => ({ ...definition, name })),
        ),
      })),
    }),
  },
  {
    name: "lets concurrent claims begin the same",
    caughtBy: ["claim.once"],
    methods: (store) => ({ claim: sharingAnswers((request) => store.claim(request)) }),
  },
  {
    name: "begins delayed work at once",
    caughtBy: ["claim.due", "claim.next-delay"],
    methods: (store) => ({
      create: ({ delayMs: _, ...operation }, initial) => store.create(operation, initial),
    }),
  },
  {
    name: "retries at once",
    caughtBy: ["claim.due", "claim.next-retry"],
    methods: (store) => ({
      settle: (lease, settlement) =>
        store.settle(lease, settlement.to === "retry" ? { ...settlement, delayMs: 0 } : settlement),
    }),
  },
  {
    name: "begins any number of suspects",
    caughtBy: ["claim.lost", "claim.released-suspect", "claim.blocked-suspect", "lanes.claim-lost"],
    methods: (store) => ({ claim: askingOf(store, () => ({ suspects: 1_000 })) }),
  },
  {
    name: "does not say that an attempt was lost",
    caughtBy: [
      "claim.lost",
      "claim.released-suspect",
      "takeover.repeated",
      "takeover.given-back",
      "preparing.lease",
    ],
    methods: (store) => ({
      claim: beginning(store, ({ operation }) => ({ operation, previousLost: false })),
    }),
  },
  {
    name: "begins operations that the caller cannot finish",
    caughtBy: ["claim.preparing", "claim.without-create"],
    methods: (store) => ({ claim: askingOf(store, () => ({ creates: true })) }),
  },
  {
    name: "withholds pending work from workers that cannot create",
    caughtBy: ["claim.preparing"],
    methods: (store) => ({
      claim: async (request) =>
        request.definitions.every(({ creates }) => creates === false) ? NOTHING : store.claim(request),
    }),
  },
  {
    name: "claims no hidden operations",
    caughtBy: ["claim.hidden"],
    methods: (store) => ({
      claim: answering(store, ({ begun, ...claimed }) => ({
        ...claimed,
        begun: begun.filter(({ operation }) => operation.hidden !== true),
      })),
    }),
  },
  {
    name: "ignores urgencies",
    caughtBy: ["claim.urgent"],
    methods: (store) => ({
      create: ({ urgency: _, ...operation }, initial) => store.create(operation, initial),
    }),
  },
  {
    name: "does not say that a claim ended an operation",
    caughtBy: ["claim.cancelled", "claim.cancelled-beside"],
    methods: (store) => ({ claim: answering(store, (claimed) => ({ ...claimed, ended: [] })) }),
  },
  {
    name: "claims overdue work",
    caughtBy: ["claim.overdue"],
    methods: (store) => ({
      create: ({ startWithinMs: _, ...operation }, initial) => store.create(operation, initial),
    }),
  },
  {
    name: "takes a repeated claim for a new one",
    caughtBy: ["claim.repeated", "claim.repeated-ended", "claim.repeated-nothing"],
    methods: (store) => ({ claim: asking(store, ({ repeated: _, ...request }) => request) }),
  },
  {
    name: "claims without regard to limits",
    caughtBy: [
      ...OF_LIMITS,
      "claim.blocked-limit",
      "limits.freed",
      "limits.cancelled",
      "limits.expired",
      "limits.race",
    ],
    methods: (store) => ({ claim: askingOf(store, () => ({ limits: undefined })) }),
  },
  {
    name: "claims for twice the slots and places",
    caughtBy: ["limits.claim-lost-slots"],
    methods: (store) => ({
      claim: asking(store, ({ definitions, limit, ...request }) => ({
        ...request,
        limit: 2 * limit,
        definitions: definitions.map(({ slots, limits: { running = 1 } = {}, ...each }) => ({
          ...each,
          slots: 2 * slots,
          limits: { running: 2 * running },
        })),
      })),
    }),
  },
  {
    name: "says that no work is blocked",
    caughtBy: ["claim.blocked-lane", "claim.blocked-limit", "claim.blocked-pause", "claim.blocked-suspect"],
    methods: (store) => ({ claim: answering(store, (claimed) => ({ ...claimed, blocked: false })) }),
  },
  {
    name: "says that all work is blocked",
    caughtBy: ["claim.nothing", "claim.next-delay", "claim.without-create"],
    methods: (store) => ({ claim: answering(store, (claimed) => ({ ...claimed, blocked: true })) }),
  },
  {
    name: "does not say when more becomes due",
    caughtBy: [...OF_NEXT, "claim.blocked-lane", "claim.blocked-limit"],
    methods: (store) => ({ claim: answering(store, ({ nextInMs: _, ...claimed }) => claimed) }),
  },
  {
    name: "says that more is always due at once",
    caughtBy: [
      ...OF_NEXT,
      "claim.nothing",
      "claim.blocked-pause",
      "claim.blocked-suspect",
      "claim.without-create",
    ],
    methods: (store) => ({ claim: answering(store, (claimed) => ({ ...claimed, nextInMs: 1 })) }),
  },
  {
    name: "claims with leases that never end",
    caughtBy: ["claim.next-lease", "claim.repeated-ended"],
    methods: (store) => ({ claim: askingOf(store, () => ({ leaseMs: 2_000_000_000 })) }),
  },
  {
    name: "claims work in the order of its creation, for all tenants together",
    caughtBy: ["turns.newcomer", "turns.round", "turns.reached"],
    methods: (store) => ({
      create: (operation, initial) => store.create({ ...operation, tenant: "a" }, initial),
    }),
  },
  {
    name: "claims the newest work first",
    caughtBy: ["turns.oldest"],
    methods: (store) => {
      let count = 0;
      return {
        create: (operation, initial) => {
          count += 1;
          return store.create({ ...operation, urgency: Math.max(0, 8 - count) }, initial);
        },
      };
    },
  },
  {
    name: "keeps a slot free for another tenant",
    caughtBy: [
      "turns.newcomer",
      "turns.round",
      "turns.alone",
      "turns.later",
      "turns.urgent",
      "turns.reached",
    ],
    methods: (store) => ({
      claim: asking(store, ({ definitions, ...request }) => ({
        ...request,
        definitions: definitions.map((each) => ({ ...each, slots: Math.max(1, each.slots - 1) })),
      })),
    }),
  },
  {
    name: "adds up the suspects of all definitions",
    caughtBy: ["claim.suspects"],
    methods: (store) => ({
      claim: asking(store, ({ definitions, ...request }) => {
        const suspects = definitions.reduce((sum, each) => sum + each.suspects, 0);
        return { ...request, definitions: definitions.map((each) => ({ ...each, suspects })) };
      }),
    }),
  },
  {
    name: "remembers the answer to the last claim only, to return it again",
    caughtBy: ["claim.repeated-late"],
    methods: (store) => {
      let last: string | undefined;
      return {
        claim: async ({ token, repeated = false, ...request }) => {
          if (repeated && token !== last) return NOTHING;
          last = token;
          return store.claim({ ...request, token, repeated });
        },
      };
    },
  },
];
