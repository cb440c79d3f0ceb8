import { createMemoryBackend, createMemoryStores } from "async-request-reply";
import { type CreateBackend, simulate } from "async-request-reply/testing";
import { transactionalBackend } from "../support/transactional-backend.js";
import type { SeedRange } from "./pinned-seeds.js";

const FATES = ["crash-before", "crash-after", "answer-lost", "unavailable", "late", "twice"];
/** The begin and the commit of a transaction are never repeated. */
const AT_ENDS = FATES.filter((fate) => fate !== "twice");
/** A connection keeps the order of its statements. */
const IN_BETWEEN = AT_ENDS.filter((fate) => fate !== "late");
/** A line of a trace with the process, its call and, at the end, the fault. */
const FAULT = new RegExp(`^ *[\\d.]+s {2}[\\w-]+: ([\\w-]+).*, (${FATES.join("|")})$`);

const STORE = ["get", "claim", "renew", "settle", "requestCancel", "begun", "append", "save", "read"];
const KINDS = ["record", "settle", "append", "own"];
const ENDS = KINDS.flatMap((kind) => [`begin-${kind}`, `commit-${kind}`]);
const COMPOSED = ["bind", "create", "takeStale", "takeExpired", "release", "remove"];

/** A back end, with all faults of its calls. */
interface Injected {
  readonly create: CreateBackend;
  readonly faults: readonly string[];
}

/** Back ends by name. The simulator must inject every fault into every call. */
export const injectedFaults: Readonly<Record<string, Injected>> = {
  "two stores": {
    create: (clock) => createMemoryStores({ clock }),
    faults: each(FATES, [...STORE, ...COMPOSED]),
  },
  "stores that record in one step": {
    create: (clock) => createMemoryBackend({ clock }),
    faults: each(FATES, [...STORE, "record", "recordMany", "purge", "publish"]),
  },
  transactions: {
    create: (clock) => transactionalBackend(clock),
    faults: [...each(AT_ENDS, ENDS), ...each(IN_BETWEEN, ["write", "recordIn"])],
  },
};

function each(fates: readonly string[], calls: readonly string[]): readonly string[] {
  return calls.flatMap((call) => fates.map((fate) => `${call}, ${fate}`));
}

/** Returns the faults that the history of a seed injects. */
export async function faultsOf({ create, faults }: Injected, seed: number): Promise<readonly string[]> {
  const { trace } = await simulate(create, { seed });
  const injected = trace.map((line) => (FAULT.exec(line) ?? []).slice(1).join(", "));
  return faults.filter((fault) => injected.includes(fault));
}

/** Returns a few seeds that inject all faults together. */
export async function findSeeds(
  given: Injected,
  { first, count }: SeedRange,
): Promise<readonly number[] | undefined> {
  const faults = new Map<number, readonly string[]>();
  const missing = new Set(given.faults);
  for (let seed = first; seed < first + count && missing.size > 0; seed += 1) {
    faults.set(seed, await faultsOf(given, seed));
    for (const fault of faults.get(seed) ?? []) missing.delete(fault);
  }
  return missing.size > 0 ? undefined : coverOf(faults);
}

/** Chooses the seed with the most faults that are left, until none is left. */
function coverOf(faults: ReadonlyMap<number, readonly string[]>): readonly number[] {
  const left = new Set([...faults.values()].flat());
  const seeds: number[] = [];
  while (left.size > 0) {
    const gain = (seed: number): number => faults.get(seed)?.filter((fault) => left.has(fault)).length ?? 0;
    const best = [...faults.keys()].reduce((one, other) => (gain(other) > gain(one) ? other : one));
    for (const fault of faults.get(best) ?? []) left.delete(fault);
    seeds.push(best);
  }
  return seeds.sort((one, other) => one - other);
}
