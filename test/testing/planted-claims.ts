import type { Clock, OperationStore } from "async-request-reply";
import type { BegunOperation, ClaimRequest, Operation } from "async-request-reply/ports";
import { allOperations } from "../support/all-operations.js";
import { answering, asking, askingOf, beginning, NOTHING } from "./changed-calls.js";
import { composed, type PlantedStore } from "./planted-stores.js";

interface PlantedClaim extends PlantedStore {
  /** Default: true. */
  readonly hasShortTrace?: boolean;
}

/** Back ends whose claims make a mistake. The simulator must detect all of them. */
export const plantedClaims: Readonly<Record<string, PlantedClaim>> = {
  "a claim begins an attempt under a live lease": composed(/I7: .* has two live leases/, (store) =>
    askingOf(store, () => ({ leaseMs: 0 })),
  ),

  "a claim begins an operation twice": composed(/I7: a claim began an operation twice/, (store) =>
    answering(store, ({ begun, ...claimed }) => ({ ...claimed, begun: [...begun, ...begun] })),
  ),

  "two claims begin the same attempt": composed(/I7: .* has two live leases/, (store) => {
    let last: readonly BegunOperation[] = [];
    return {
      claim: async (request) => {
        const claimed = await store.claim(request);
        const begun = [...claimed.begun, ...last.slice(0, request.limit - claimed.begun.length)];
        last = claimed.begun;
        return { ...claimed, begun };
      },
    };
  }),

  "a repeated claim forgets the attempts that it began": composed(
    /I2: the worker of an attempt of .* never received it/,
    (store) => ({
      claim: async (request) =>
        request.repeated === true ? { ...NOTHING, again: true } : store.claim(request),
    }),
  ),

  "a repeated claim begins other attempts": composed(
    /I2: the worker of an attempt of .* never received it/,
    (store) => asking(store, (request) => ({ ...request, repeated: false })),
  ),

  "a claim ignores earlier attempts": composed(/I2: .* began as attempt 1, not 2/, (store) =>
    beginning(store, ({ operation, ...begun }) => ({
      ...begun,
      operation: { ...operation, attempt: 1 },
    })),
  ),

  "a lost attempt is never reported": composed(/I19: .* began with previousLost false/, (store) =>
    beginning(store, (begun) => ({ ...begun, previousLost: false })),
  ),

  "a claim begins work of a paused definition": composed(/I23: .* began although .* was paused/, (store) => ({
    claim: async (request) => {
      const definitions = request.definitions.map(({ name }) => name);
      const paused = (await store.stats({ definitions })).filter((each) => each.paused);
      for (const { definition } of paused) await store.resume(definition);
      const claimed = await store.claim(request);
      for (const { definition } of paused) await store.pause(definition);
      return claimed;
    },
  })),

  "a claim begins an operation that has ended": beginningToo(
    /I4: an attempt of .* began after it had ended/,
    ({ state }) => state === "completed",
  ),

  "a claim begins work after its deadline": beginningToo(
    /I26: .* began \d+ ms after its deadline/,
    ({ state, createdAt, startWithinMs = Number.POSITIVE_INFINITY, attempt }, clock) =>
      state === "pending" && attempt === 0 && createdAt + startWithinMs < clock.now(),
  ),

  "a claim ignores the limits": composed(/I22: .* began as number .* of all tenants/, (store) =>
    askingOf(store, () => ({ limits: undefined })),
  ),

  "a claim ignores the limit of a tenant": composed(/I22: .* began as number .* of tenant-/, (store) =>
    askingOf(store, ({ limits: { runningPerTenant: _, ...limits } = {} }) => ({ limits })),
  ),

  "a claim counts operations that have ended towards the limit": standingStill((store) => ({
    claim: async (request) => {
      const ended = (await allOperations(store)).filter(({ state }) => state === "completed").length;
      const isFree = ({ limits }: ClaimRequest["definitions"][number]): boolean =>
        ended < (limits?.running ?? Number.POSITIVE_INFINITY);
      return store.claim({ ...request, definitions: request.definitions.filter(isFree) });
    },
  })),

  "a claim begins more of one definition than there are slots": composed(
    /I15: a worker runs \d attempts of \w+ at once/,
    (store) => askingOf(store, (_, { limit }) => ({ slots: limit })),
  ),

  "claims never begin work whose last attempt was lost": standingStill((store) =>
    askingOf(store, () => ({ suspects: 0 })),
  ),

  "claims look for new work only once they have found none": standingStill((store) => {
    /** Definitions that had no due work when a claim last looked. */
    const idle = new Set<string>();
    return {
      create: (operation, initial) => {
        idle.delete(operation.definition);
        return store.create(operation, initial);
      },
      claim: async (request) => {
        const claimed = await store.claim({
          ...request,
          definitions: request.definitions.filter(({ name }) => !idle.has(name)),
        });
        if (claimed.begun.length === 0 && !claimed.again)
          for (const { name } of request.definitions) idle.add(name);
        return claimed;
      },
    };
  }),
};

/** The faults of a history may have to end before it shows that work stands still, so it is never short. */
function standingStill(methods: (store: OperationStore) => Partial<OperationStore>): PlantedClaim {
  const violation = /I27: .* has waited for \d+ ms|I2: .* never ended/;
  return { ...composed(violation, methods), hasShortTrace: false };
}

/** Claims begin one more operation, which no claim may begin. */
function beginningToo(
  violation: RegExp,
  isChosen: (operation: Operation, clock: Clock) => boolean,
): PlantedClaim {
  return composed(violation, (store, clock) => ({
    claim: async (request) => {
      const claimed = await store.claim(request);
      const isOf = ({ definition }: Operation): boolean =>
        request.definitions.some(({ name }) => name === definition);
      const chosen = (await allOperations(store)).find((each) => isOf(each) && isChosen(each, clock));
      if (chosen === undefined || claimed.begun.length === request.limit) return claimed;
      const operation = { ...chosen, attempt: chosen.attempt + 1 };
      return { ...claimed, begun: [...claimed.begun, { operation, previousLost: false }] };
    },
  }));
}
