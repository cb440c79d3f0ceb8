import type { SubmitOutcome } from "async-request-reply";
import { createService, defineOperation } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { expect, it } from "vitest";
import * as z from "zod";
import type { DatabaseFile } from "../../support/sqlite/database-files.js";
import { describeFile } from "./per-test.js";

const notes = defineOperation({ name: "notes", path: "/notes", input: z.object({ text: z.string() }) });
const NOTE = { text: "a" };
/** Large inputs go to another table, with a second statement. */
const POISON = { input: { text: "poison".repeat(10_000) }, key: "poison" };
const NO_POISON = `create trigger no_poison before insert on arr_inputs when new.input like '%poison%'
  begin select raise(abort, 'no'); end`;

const words = (outcomes: readonly SubmitOutcome[]) =>
  outcomes.map((each) => (each.outcome === "refused" ? each.error.code : each.outcome));

const numbered = (count: number, prefix = "k") =>
  Array.from({ length: count }, (_, index) => ({ input: NOTE, key: `${prefix}${index}` }));

describeFile("submitting many to an SQLite file", (file) => {
  function open(options?: Parameters<DatabaseFile["open"]>[0]) {
    const database = file.connect();
    const backend = createSqliteBackend({ database, synchronous: "normal", ...options });
    const service = createService({ definitions: [notes], backend, observe: false });
    const submitMany = (items: ReturnType<typeof numbered>) => service.submitMany(notes, items);
    const keys = async () => (await backend.operations.list({ limit: 2_000 })).map(({ key }) => key).sort();
    return { database, backend, service, submitMany, keys };
  }

  it("refuses an item alone that the database cannot store, and does not fail calls at the same time", async () => {
    const { database, backend, service, submitMany, keys } = open();
    await backend.check();
    database.exec(NO_POISON);
    const [outcomes, alone] = await Promise.all([
      submitMany([...numbered(2), POISON, ...numbered(1, "z")]),
      service.submit(notes, NOTE, { key: "alone" }),
    ]);
    expect(words(outcomes)).toEqual(["created", "created", "INTERNAL", "created"]);
    expect(alone.replayed).toBe(false);
    expect(await keys()).toEqual(["alone", "k0", "k1", "z0"]);
  });

  it("records none of the items if the database is full, and all once there is room", async () => {
    const { database, backend, service, keys } = open();
    await backend.check();
    const [{ page_count: pages }] = database.prepare("pragma page_count").all() as [{ page_count: number }];
    database.exec(`pragma max_page_count = ${pages + 10}`);
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      input: { text: "x".repeat(255) },
      key: `k${index}`,
    }));
    await expect(service.submitMany(notes, items)).rejects.toMatchObject({ code: "OVERLOADED" });
    database.exec(NO_POISON);
    const withPoison = service.submitMany(notes, [POISON, ...items.slice(1)]);
    await expect(withPoison).rejects.toMatchObject({ code: "OVERLOADED" });
    expect(await keys()).toEqual([]);
    database.exec("pragma max_page_count = 100000");
    expect(new Set(words(await service.submitMany(notes, items)))).toEqual(new Set(["created"]));
    expect(await keys()).toHaveLength(1_000);
  });

  it("rejects with STORE_UNAVAILABLE if another process holds the lock for too long, and records nothing", async () => {
    const { backend, submitMany, keys } = open({ lockTimeoutMs: 50 });
    await backend.check();
    const other = file.connect();
    other.exec("begin immediate");
    await expect(submitMany(numbered(3))).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    other.exec("rollback");
    expect(await keys()).toEqual([]);
    expect(words(await submitMany(numbered(3)))).toEqual(["created", "created", "created"]);
  });

  it("creates one operation per key for two processes that submit the same items", async () => {
    const [one, two] = [open(), open()];
    const answers = await Promise.all([
      one.submitMany(numbered(200)),
      two.submitMany(numbered(200).toReversed()),
    ]);
    expect(answers.flatMap(words).filter((word) => word === "created")).toHaveLength(200);
    expect(await one.keys()).toHaveLength(200);
  });
});
