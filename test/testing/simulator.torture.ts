import { createMemoryBackend, createMemoryStores } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { type CreateBackend, simulate } from "async-request-reply/testing";
import Database from "libsql";
import { expect, it } from "vitest";
import { transactionalBackend } from "../support/transactional-backend.js";

const FIRST_SEED = Number(process.env.TORTURE_SEED ?? Date.now() % 1_000_000_000);
const SCHEDULES = Number(process.env.TORTURE_SCHEDULES ?? 100_000);

/** Whether every history has output. */
const HAS_OUTPUT = process.env.TORTURE_OUTPUT === "1";

const inMemory: readonly CreateBackend[] = [
  (clock) => createMemoryStores({ clock }),
  (clock) => createMemoryBackend({ clock }),
  (clock) => transactionalBackend(clock),
];
const onSqlite: CreateBackend = (clock) =>
  createSqliteBackend({ database: new Database(":memory:"), runtime: { clock } });
const backends = process.env.TORTURE_ON === "SQLite" ? [onSqlite] : inMemory;

it(`the contract holds in ${SCHEDULES} histories, starting at seed ${FIRST_SEED}`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed += 1) {
    // Back ends take turns in pairs of seeds, because odd and even seeds have different kinds of replies.
    const create = backends[(seed >> 1) % backends.length] as CreateBackend;
    await simulate(create, HAS_OUTPUT ? { seed, output: true } : { seed });
  }
  expect(SCHEDULES).toBeGreaterThan(0);
});
