import type {
  InspectedOperation,
  InspectRequest,
  ListedOperation,
  ListRequest,
} from "async-request-reply/ports";
import { type BrokenPort, caughtBy, named } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Builds a store that changes the list before it is cut into pages. */
function listing(
  change: (operations: readonly ListedOperation[], request: ListRequest) => readonly ListedOperation[],
): BrokenPort<TrackedStore>["methods"] {
  return (store) => ({
    list: async (request) => {
      const { after: _, ...rest } = request;
      const all = await store.list({ ...rest, limit: 1_000 });
      return change(all, request).slice(0, request.limit);
    },
  });
}

/** Returns the operations after a position, in the given order. */
function behind(operations: readonly ListedOperation[], { after }: ListRequest): readonly ListedOperation[] {
  return operations.slice(operations.findIndex(({ id }) => id === after?.id) + 1);
}

/** Stores that break a rule of listing. */
export const listingStores = [
  ...(["tenant", "definition", "state", "createdFrom", "internal"] as const).map((filter) => ({
    name: `drops the filter \`${filter}\` after the first page`,
    ...caughtBy<TrackedStore>(
      filter === "internal" ? ["list.internal-pages"] : ["list.filtered-pages"],
      (store) => ({
        list: async (request) => {
          if (request.after === undefined) return store.list(request);
          const { [filter]: _, ...others } = request;
          return store.list(others);
        },
      }),
    ),
  })),
  ...named<TrackedStore>({
    "never lists internal operations": caughtBy(["list.internal"], (store) => ({
      list: ({ internal: _, ...request }) => store.list(request),
    })),
    "lists internal operations without being asked": caughtBy(["list.internal"], (store) => ({
      list: (request) => store.list({ ...request, internal: true }),
    })),
    "lists inputs": caughtBy(["list.members"], (store) => ({
      list: async (request) => (await store.list(request)).map((each) => ({ ...each, input: "null" })),
    })),
    "lists operations without their principal": caughtBy(
      ["list.members"],
      listing((operations) => operations.map(({ principal: _, ...operation }) => operation)),
    ),
    "lists operations without the reason for their retry": caughtBy(
      ["list.members"],
      listing((operations) => operations.map(({ lastError: _, ...operation }) => operation)),
    ),
    "ignores the state": caughtBy(["list.filters"], (store) => ({
      list: ({ state: _, ...request }) => store.list(request),
    })),
    "includes operations created exactly at `createdBefore`": caughtBy(["list.times"], (store) => ({
      list: async ({ createdBefore, ...request }) => {
        const bound = createdBefore === undefined ? {} : { createdBefore: createdBefore + 1 };
        return store.list({ ...request, ...bound });
      },
    })),
    "repeats the last operation of a page on the next one": caughtBy(
      ["list.pages", "list.equal-times"],
      listing((operations, { after }) =>
        operations.slice(
          Math.max(
            0,
            operations.findIndex(({ id }) => id === after?.id),
          ),
        ),
      ),
    ),
    "lists the oldest first": caughtBy(
      ["list.pages", "list.equal-times", "jump.listed"],
      listing((operations, request) => behind([...operations].reverse(), request)),
    ),
    "sorts by id alone": caughtBy(
      ["list.pages", "jump.listed"],
      listing((operations, request) =>
        behind(
          [...operations].sort((one, other) => (one.id > other.id ? -1 : 1)),
          request,
        ),
      ),
    ),
    "skips operations with the time of the last one on a page": caughtBy(
      ["list.equal-times"],
      listing((operations, { after }) =>
        operations.filter(({ createdAt }) => after === undefined || createdAt < after.createdAt),
      ),
    ),
  }),
];

/** Stores that break a rule of reading many operations. */
export const readingStores = named<TrackedStore>({
  "reads many operations of only one tenant": caughtBy(["get-many.any"], (store) => ({
    getMany: async (ids) => (await store.getMany(ids)).filter(({ tenant }) => tenant === "tenant-1"),
  })),
  "reads every operation instead of the requested ones": caughtBy(
    ["get-many.any", "get-many.unknown"],
    (store) => ({ getMany: () => store.all() }),
  ),
  "reads many operations without the hidden ones": caughtBy(["get-many.hidden"], (store) => ({
    getMany: async (ids) => (await store.getMany(ids)).filter(({ hidden }) => hidden !== true),
  })),
  "returns an operation once per request for it": caughtBy(["get-many.unknown"], (store) => ({
    getMany: async (ids) => {
      const found = await Promise.all(ids.map((id) => store.look(id)));
      return found.flatMap((operation) => operation ?? []);
    },
  })),
});

/** Builds a store that reads an operation for operators with other members. */
function inspecting(
  change: (found: InspectedOperation, request: InspectRequest) => InspectedOperation | undefined,
): BrokenPort<TrackedStore>["methods"] {
  return (store) => ({
    inspect: async (request) => {
      const found = await store.inspect?.(request);
      return found && change(found, request);
    },
  });
}

/** Stores that break a rule of reading for operators. */
export const inspectingStores = named<TrackedStore>({
  "shows operators no hidden operations": caughtBy(
    ["inspect.operation"],
    inspecting((found) => (found.operation.hidden === true ? undefined : found)),
  ),
  "says that everything is due": caughtBy(
    ["inspect.due"],
    inspecting((found) => ({ ...found, isDue: true })),
  ),
  "shows no token after the end": caughtBy(
    ["inspect.token"],
    inspecting(({ token, ...found }) => ({
      ...found,
      ...(found.operation.state === "pending" && token !== undefined && { token }),
    })),
  ),
  "counts the leases of a tenant unasked": caughtBy(
    ["inspect.places"],
    inspecting((found) => ({ ...found, runningOfTenant: 2 })),
  ),
});
