import type { Clock } from "async-request-reply";
import {
  createDurableObjectBackend,
  type ObjectSql,
  type ObjectStorage,
} from "async-request-reply/durable-objects";
import {
  createManualClock,
  operationStoreCases,
  outputStoreCases,
  type PortCase,
  type PortHarness,
  runnableCases,
  type SimulatedBackend,
  type SynchronousUserTransactions,
  simulate,
  submissionsCases,
} from "async-request-reply/testing";
import { storeCases } from "../../support/adapter-suite/cases.js";
import { createFetchHarness } from "../../support/fetch-harness.js";
import { toObjects } from "./objects.js";
import { type CaseResult, runCase } from "./run-case.js";

type ObjectBackend = ReturnType<typeof createDurableObjectBackend>;

/** Replies with the result of the case at the path of the request. Each case has an object for itself. */
export class TestObject {
  readonly #storage: ObjectStorage;

  constructor({ storage }: { readonly storage: ObjectStorage }) {
    this.#storage = storage;
  }

  async fetch({ url }: Request): Promise<Response> {
    const [, suite = "", place = ""] = new URL(url).pathname.split("/");
    return Response.json(await this.#run(suite, Number(place)));
  }

  #run(suite: string, place: number): Promise<CaseResult> | CaseResult | null {
    if (suite === "adapter") return this.#runAdapterCase(place);
    if (suite === "history") return runCase(`history ${place}`, () => this.#playHistory(place));
    if (suite === "operations")
      return this.#runCase(operationStoreCases, place, ({ operations }) => operations);
    if (suite === "output") return this.#runCase(outputStoreCases, place, (backend) => backend);
    return this.#runCase(submissionsCases, place, (backend) => backend);
  }

  #runCase<Port>(
    cases: readonly PortCase<PortHarness<Port>>[],
    place: number,
    portOf: (backend: ObjectBackend) => Port,
  ): Promise<CaseResult> | CaseResult | null {
    const clock = createManualClock();
    const harness: PortHarness<Port> = {
      capabilities: {
        leaseGranularityMs: 1,
        skipsTime: true,
        jumpsBack: true,
        watch: true,
        watchCancellations: true,
        inspect: true,
      },
      create: async () => ({
        port: portOf(createDurableObjectBackend({ storage: this.#storage, runtime: { clock } })),
      }),
      passTime: (ms) => clock.advance(ms),
      jumpTime: (ms) => clock.jump(ms),
    };
    const found = [...runnableCases(cases, harness)][place];
    if (found === undefined) return null;
    const { case: each, skipped } = found;
    if (skipped !== undefined) return { name: each.rule, outcome: "skipped", because: skipped };
    return runCase(each.rule, () => each.run(harness));
  }

  #runAdapterCase(place: number): Promise<CaseResult> | CaseResult | null {
    const found = storeCases[place];
    if (found === undefined) return null;
    const harness = createFetchHarness(({ clock } = {}) =>
      createDurableObjectBackend({ storage: this.#storage, ...(clock && { runtime: { clock } }) }),
    );
    const { name, needs = [], run } = found;
    const missing = needs.filter((capability) => !harness.capabilities[capability]);
    if (missing.length > 0) return { name, outcome: "skipped", because: `needs ${missing.join(", ")}` };
    return runCase(name, () => run(harness));
  }

  /** Plays a history. Those with an even seed share their transactions with effects of the user. */
  #playHistory(seed: number): Promise<unknown> {
    const storage = this.#storage;
    const open = (clock: Clock): SimulatedBackend => {
      const backend = createDurableObjectBackend({ storage, runtime: { clock } });
      return seed % 2 === 0 ? { backend, synchronous: transactionsOn(storage) } : backend;
    };
    return simulate(open, { seed, shrink: false, turns: true });
  }
}

/** Returns transactions of the user, whose effects are rows. */
function transactionsOn(storage: ObjectStorage): SynchronousUserTransactions<ObjectSql> {
  const { sql } = storage;
  sql.exec("create table effects (effect text)");
  return {
    run: (work) => storage.transactionSync(() => work(sql)),
    write: (handle, effect) => void handle.exec("insert into effects values (?)", effect),
    written: () => (sql.exec("select effect from effects").toArray() as { effect: string }[]).map(effectOf),
  };
}

function effectOf({ effect }: { readonly effect: string }): string {
  return effect;
}

/** Forwards each request to the object of its path. */
export default toObjects(({ pathname }) => pathname);
