import { AsyncReplyError, createMemoryBackend, createMemoryStores } from "async-request-reply";
import {
  type CreateBackend,
  SimulationFailure,
  type SimulationOptions,
  simulate,
} from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { effort, FIRST_SEED, sampleOf } from "../support/effort.js";
import { replacing } from "../support/replacing.js";
import { transactionalBackend } from "../support/transactional-backend.js";
import { expectAtPin, playOn } from "./pinned-seeds.js";
import { plantedBackends } from "./planted-backends.js";

const HISTORIES = effort(15, 60, 2_000);
/** Seeds decide the kind of a history, such as whether it has webhooks. Steps of 3 soon reach every kind. */
const SEEDS = Array.from({ length: HISTORIES }, (_, index) => FIRST_SEED + index * 3);

const composed: CreateBackend = (clock) => createMemoryStores({ clock });
const atomic: CreateBackend = (clock) => createMemoryBackend({ clock });
const transactional: CreateBackend = (clock) => transactionalBackend(clock);

describe("the simulator", () => {
  it.each([
    ["with key and operation recorded one after the other", composed],
    ["with key and operation recorded in one step", atomic],
    ["with shared transactions", transactional],
  ])(
    `finds no violation in ${HISTORIES} histories from seed ${FIRST_SEED} of the memory back end %s`,
    async (_, create) => {
      let played = 0;
      for (const seed of SEEDS) {
        await simulate(create, { seed });
        played += 1;
      }
      expect(played).toBe(HISTORIES);
    },
  );

  it("finds no violation in a back end that commits some transactions and then rejects", async () => {
    let lost = 0;
    let count = 0;
    const rejecting: CreateBackend = (clock) =>
      transactionalBackend(clock, ({ commit }) => ({
        commit: async (...given) => {
          await commit(...given);
          count += 1;
          if (count % 2 === 0) return;
          lost += 1;
          throw new AsyncReplyError("STORE_UNAVAILABLE", "The answer of the commit was lost.");
        },
      }));
    const seeds = sampleOf(SEEDS, 3);
    for (const seed of seeds) await simulate(rejecting, { seed });
    expect(lost).toBeGreaterThan(seeds.length);
  });

  it.each(Object.entries(plantedBackends.answers))("detects that %s", async (name, planted) => {
    await expectAtPin("answers", name, planted, playOn(planted.create));
  });

  it("produces the same history for the same seed", async () => {
    const [first, second] = [await simulate(composed, { seed: 7 }), await simulate(composed, { seed: 7 })];
    expect(first.trace).toEqual(second.trace);
    expect(first.trace.length).toBeGreaterThan(50);
  });

  it("plays a failing history only once if `shrink` is false", async () => {
    const playedBy = async (options: Partial<SimulationOptions>) => {
      let played = 0;
      const forgetful: CreateBackend = (clock) => {
        played += 1;
        const stores = createMemoryStores({ clock });
        const settle = async () => ({ outcome: "settled", state: "completed" }) as const;
        return { ...stores, operations: replacing(stores.operations, { settle }) };
      };
      const failure = await simulate(forgetful, { seed: 8, ...options }).catch((error: unknown) => error);
      return { failure: failure as SimulationFailure, played };
    };
    const [whole, shrunk] = [await playedBy({ shrink: false }), await playedBy({})];
    expect(whole.played).toBe(1);
    expect(whole.failure).toBeInstanceOf(SimulationFailure);
    expect(shrunk.played).toBeGreaterThan(1);
    expect(shrunk.failure.trace.length).toBeLessThan(whole.failure.trace.length);
  });
});
