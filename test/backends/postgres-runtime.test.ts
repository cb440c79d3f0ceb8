import { createPostgresBackend } from "async-request-reply/postgres";
import { createManualClock } from "async-request-reply/testing";
import { expect, it } from "vitest";
import { poolOf } from "./postgres/pool-of.js";

const ID = "01976f2c-0000-7000-8000-000000000000";

it("counts the time limit of a call on Postgres by the clock of its runtime", async () => {
  const clock = createManualClock();
  const pool = poolOf(() => new Promise<never>(() => {}));
  const { operations } = createPostgresBackend({
    pool,
    migrate: "manual",
    statementTimeoutMs: 8_000,
    runtime: { clock },
  });
  let outcome = "waits";
  const reading = operations.get(ID, "a").catch((error: { readonly code: string }) => {
    outcome = error.code;
  });
  await clock.advance(8_000);
  expect(outcome).toBe("waits");
  await clock.advance(1_000);
  await reading;
  expect(outcome).toBe("STORE_UNAVAILABLE");
});
