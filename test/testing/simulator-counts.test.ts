import { createMemoryBackend, createMemoryStores } from "async-request-reply";
import { type CreateBackend, simulate } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { effort, FIRST_SEED } from "../support/effort.js";
import { transactionalBackend } from "../support/transactional-backend.js";
import { expectAtPin } from "./pinned-seeds.js";
import { plantedCounts, playCounts } from "./planted-counts.js";

const HISTORIES = effort(4, 60, 1_000);
/** Seeds decide the kind of a history. */
const SEEDS = Array.from({ length: HISTORIES }, (_, index) => FIRST_SEED + index * 7);

const composed: CreateBackend = (clock) => createMemoryStores({ clock });
const atomic: CreateBackend = (clock) => createMemoryBackend({ clock });
const transactional: CreateBackend = (clock) => transactionalBackend(clock);

describe.each([
  ["with key and operation recorded one after the other", composed],
  ["with key and operation recorded in one step", atomic],
  ["with shared transactions", transactional],
])("what processes count by minute %s", (_, create) => {
  it.each([
    ["equals what has happened, without faults", 0],
    ["is never more than what has happened, with faults", 6],
  ])("%s", async (_, faults) => {
    let played = 0;
    for (const seed of SEEDS) {
      await simulate(create, { seed, faults, counts: true, shrink: false });
      played += 1;
    }
    expect(played).toBe(HISTORIES);
  });
});

it.each(Object.entries(plantedCounts))("the simulator detects that %s", async (name, planted) => {
  await expectAtPin("counts", name, planted, playCounts(planted));
});
