import type { OperationStore } from "async-request-reply";
import type { Claimed, ClaimedDefinition, ClaimRequest } from "async-request-reply/ports";
import { type BrokenPort, sharingAnswers } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

type Claim = NonNullable<OperationStore["claim"]>;

function claimOf(store: TrackedStore): Claim {
  const { claim } = store;
  if (claim === undefined) throw new Error("The store has no `claim`.");
  return (request) => claim.call(store, request);
}

/** Claims with another request. */
function asking(store: TrackedStore, ask: (request: ClaimRequest) => ClaimRequest): Claim {
  const claim = claimOf(store);
  return (request) => claim(ask(request));
}

/** Claims with other members of each definition. */
function askingOf(store: TrackedStore, members: Partial<ClaimedDefinition>): Claim {
  return asking(store, (request) => ({
    ...request,
    definitions: request.definitions.map((definition) => ({ ...definition, ...members })),
  }));
}

/** Answers something else. */
function answering(store: TrackedStore, answer: (claimed: Claimed) => Claimed): Claim {
  const claim = claimOf(store);
  return async (request) => answer(await claim(request));
}

const OF_LIMITS = [
  "limits.claim",
  "limits.claim-lost-running-1",
  "limits.claim-lost-runningPerTenant-1",
  "limits.claim-lost-runningPerTenant-3",
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
    methods: () => ({ claim: async () => ({ begun: [], ended: [], again: false, blocked: false }) }),
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
    methods: (store) => ({ claim: sharingAnswers(claimOf(store)) }),
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
    methods: (store) => ({ claim: askingOf(store, { suspects: 1_000 }) }),
  },
  {
    name: "does not say that an attempt was lost",
    caughtBy: ["claim.lost", "claim.released-suspect"],
    methods: (store) => ({
      claim: answering(store, ({ begun, ...claimed }) => ({
        ...claimed,
        begun: begun.map(({ operation }) => ({ operation, previousLost: false })),
      })),
    }),
  },
  {
    name: "begins operations that the caller cannot finish",
    caughtBy: ["claim.preparing", "claim.without-create"],
    methods: (store) => ({ claim: askingOf(store, { creates: true }) }),
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
    caughtBy: ["claim.repeated", "claim.repeated-ended"],
    methods: (store) => ({ claim: asking(store, ({ repeated: _, ...request }) => request) }),
  },
  {
    name: "claims without regard to limits",
    caughtBy: [...OF_LIMITS, "claim.blocked-limit"],
    methods: (store) => ({ claim: askingOf(store, { limits: undefined }) }),
  },
  {
    name: "claims without regard to lanes",
    caughtBy: ["lanes.claim", "lanes.claim-lost", "claim.blocked-lane"],
    methods: (store) => ({
      create: ({ lane: _, ...operation }, initial) => store.create(operation, initial),
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
    methods: (store) => ({ claim: askingOf(store, { leaseMs: 2_000_000_000 }) }),
  },
];
