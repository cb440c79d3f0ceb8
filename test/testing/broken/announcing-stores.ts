import type { DueOperation } from "async-request-reply/ports";
import { type BrokenPort, sharingAnswers } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

const EVERY = ["orders", "orders2", "order", "__proto__"];

/** Stores that break a rule of handing out due operations. */
export const announcingStores: readonly BrokenPort<TrackedStore>[] = [
  {
    name: "hands out ids without their definitions",
    caughtBy: ["due.handed-out"],
    methods: (store) => ({
      takeDue: async (request) =>
        (await store.takeDue(request)).map(({ id }) => ({ id }) as Partial<DueOperation> as DueOperation),
    }),
  },
  {
    name: "hands out operations of every definition",
    caughtBy: ["due.definitions"],
    methods: (store) => ({ takeDue: ({ limit }) => store.takeDue({ definitions: EVERY, limit }) }),
  },
  {
    name: "hands out more than the limit",
    caughtBy: ["due.limit"],
    methods: (store) => ({ takeDue: (request) => store.takeDue({ ...request, limit: 100 }) }),
  },
  {
    name: "hands one operation to several callers",
    caughtBy: ["due.race"],
    methods: (store) => ({ takeDue: sharingAnswers((request) => store.takeDue(request)) }),
  },
  {
    name: "hands out operations without taking them",
    caughtBy: ["due.limit", "due.series"],
    methods: (store) => {
      let before: readonly DueOperation[] = [];
      return {
        takeDue: async (request) => {
          const again = before;
          before = await store.takeDue(request);
          return [...again, ...before];
        },
      };
    },
  },
  {
    name: "hands out every operation that has not ended",
    caughtBy: ["due.begun", "due.retried", "due.preparing", "due.new", "due.series", "due.moved"],
    methods: (store) => ({
      takeDue: async () => (await store.all()).filter(({ settledAt }) => settledAt === undefined),
    }),
  },
  {
    name: "hands out operations that have ended",
    caughtBy: ["due.terminal"],
    methods: (store) => ({
      takeDue: async (request) => [
        ...(await store.takeDue(request)),
        ...(await store.all()).filter(({ settledAt }) => settledAt !== undefined),
      ],
    }),
  },
  {
    name: "does not hand out preparing operations",
    caughtBy: ["due.preparing"],
    methods: (store) => ({
      takeDue: async (request) => {
        const states = new Map((await store.all()).map(({ id, state }) => [id, state]));
        return (await store.takeDue(request)).filter(({ id }) => states.get(id) !== "preparing");
      },
    }),
  },
  {
    name: "does not hand out hidden operations",
    caughtBy: ["due.hidden"],
    methods: (store) => ({
      takeDue: async (request) =>
        (await store.takeDue(request)).filter(({ id }) => store.created.get(id)?.hidden !== true),
    }),
  },
  {
    name: "hands out a new operation a step too late",
    caughtBy: ["due.new"],
    methods: (store, clock) => ({
      takeDue: async (request) => {
        const bornAt = new Map((await store.all()).map(({ id, createdAt }) => [id, createdAt]));
        const due = await store.takeDue(request);
        return due.filter(({ id }) => clock.now() - (bornAt.get(id) ?? 0) > 30_000);
      },
    }),
  },
  {
    name: "hands out operations every 30 s",
    caughtBy: ["due.series", "due.series-anew"],
    methods: (store, clock) => {
      const handedOutAt = new Map<string, number>();
      return {
        takeDue: async (request) => {
          const due = (await store.all()).filter(
            ({ id, createdAt }) => clock.now() - (handedOutAt.get(id) ?? createdAt) >= 30_000,
          );
          for (const { id } of due) handedOutAt.set(id, clock.now());
          return due.slice(0, request.limit);
        },
      };
    },
  },
  {
    name: "continues the series after a retry",
    caughtBy: ["due.series-anew"],
    methods: (store, clock) => {
      const handedOut = new Map<string, { readonly at: number; readonly times: number }>();
      return {
        takeDue: async (request) => {
          const due = (await store.takeDue(request)).filter(({ id }) => {
            const { at, times } = handedOut.get(id) ?? { at: 0, times: 0 };
            return clock.now() - at >= 30_000 * 4 ** (times - 1);
          });
          for (const { id } of due) {
            handedOut.set(id, { at: clock.now(), times: (handedOut.get(id)?.times ?? 0) + 1 });
          }
          return due;
        },
      };
    },
  },
  {
    name: "does not move an operation that was handed out to the end of its lease",
    caughtBy: ["due.moved"],
    methods: (store, clock) => {
      const handedOutAt = new Map<string, number>();
      return {
        takeDue: async (request) => {
          const due = await store.takeDue(request);
          const known = [...handedOutAt].filter(([, at]) => clock.now() - at >= 30_000).map(([id]) => id);
          for (const id of known) handedOutAt.delete(id);
          for (const { id } of due) handedOutAt.set(id, clock.now());
          return [...due, ...known.map((id) => ({ id, definition: "orders" }))];
        },
      };
    },
  },
];
