import {
  AsyncReplyError,
  type Backend,
  type Clock,
  createMemoryBackend,
  withStores,
} from "async-request-reply";
import { type CreateBackend, simulate } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { replacing } from "../support/replacing.js";
import { transactionalBackend } from "../support/transactional-backend.js";
import { beginningBackend } from "./beginning-backend.js";

/** The faults must all come up within this many histories. */
const MAX_SEEDS = 1_000;
const FATES = ["crash-before", "crash-after", "answer-lost", "unavailable", "late", "twice"];
/** The begin and the commit of a transaction are never repeated. */
const AT_ENDS = FATES.filter((fate) => fate !== "twice");
/** A connection keeps the order of its statements. */
const IN_BETWEEN = AT_ENDS.filter((fate) => fate !== "late");
/** A line of a trace with the process, its call and, at the end, the fault. */
const FAULT = new RegExp(`^ *[\\d.]+s {2}[\\w-]+: ([\\w-]+).*, (${FATES.join("|")})$`);

const SWEPT = ["takeDue", "publish"];
const STORE = ["get", "renew", "settle", "requestCancel"];
const DELIVERED = ["receive", "beginAttempt", "ack", "nack", "close"];
const KINDS = ["record", "settle", "own"];
const ENDS = KINDS.flatMap((kind) => [`begin-${kind}`, `commit-${kind}`]);
const COMPOSED = ["claim", "create", "takeStale", "takeExpired", "release", "remove"];

const atomic: CreateBackend = (clock) => createMemoryBackend({ clock });
const beginning: CreateBackend = (clock) => beginningBackend(clock);
const transactional: CreateBackend = (clock) => transactionalBackend(clock);

describe("the simulator", { timeout: 120_000 }, () => {
  it.each<[string, CreateBackend, readonly string[]]>([
    ["two stores and a queue", composed, each(FATES, [...STORE, ...COMPOSED, ...DELIVERED])],
    ["stores that record in one step", atomic, each(FATES, [...STORE, "record", "recordMany", "purge"])],
    ["a queue that begins attempts", beginning, each(FATES, ["receive", ...SWEPT])],
    ["transactions", transactional, [...each(AT_ENDS, ENDS), ...each(IN_BETWEEN, ["write", "recordIn"])]],
  ])("injects every fault into every call of %s", async (_, create, faults) => {
    const missing = new Set(faults);
    for (let seed = 1; missing.size > 0 && seed <= MAX_SEEDS; seed += 1) {
      for (const fault of faultsIn((await simulate(create, { seed })).trace)) missing.delete(fault);
    }
    expect([...missing]).toEqual([]);
  });

  it("freezes processes", async () => {
    const lines: string[] = [];
    for (let seed = 1; seed <= 20; seed += 1) lines.push(...(await simulate(composed, { seed })).trace);
    expect(lines.some((line) => line.endsWith("freezes"))).toBe(true);
  });
});

function each(fates: readonly string[], calls: readonly string[]): readonly string[] {
  return calls.flatMap((call) => fates.map((fate) => `${call}, ${fate}`));
}

function faultsIn(trace: readonly string[]): readonly string[] {
  return trace.flatMap((line) => {
    const [, call, fate] = FAULT.exec(line) ?? [];
    return call === undefined ? [] : [`${call}, ${fate}`];
  });
}

/** Makes every third `beginAttempt` fail, because workers only nack if the store is unavailable. */
function composed(clock: Clock): Backend<never> {
  const backend = createMemoryBackend({ clock });
  let calls = 0;
  const beginAttempt: typeof backend.operations.beginAttempt = async (id, lease) => {
    calls += 1;
    if (calls % 3 === 0) throw new AsyncReplyError("STORE_UNAVAILABLE", "Every third call fails.");
    return backend.operations.beginAttempt(id, lease);
  };
  return withStores(backend, { operations: replacing(backend.operations, { beginAttempt }) });
}
