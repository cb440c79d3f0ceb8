import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createObjectsStage } from "../support/objects-stage.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const down = (): Promise<Response> => Promise.reject(new Error("The directory is down."));

/** A stage whose tenants have a number of objects that can change. */
function createChangingStage(shards: number) {
  const config = { shards };
  return { ...createObjectsStage(() => config.shards), config };
}

describe("an object with a directory", () => {
  it("answers 503 to every request while its tenant has another number of objects", async () => {
    const { call, advance, config } = createChangingStage(2);
    const accepted = await call("ada", "/reports", {}, "key");
    const path = accepted.headers.get("location") ?? "";
    await advance(MINUTE);
    config.shards = 3;
    const replies = [
      await call("ada", "/reports", {}, "key"),
      await call("ada", path),
      await call("ada", "/operations"),
    ];
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(replies.every(({ headers }) => headers.has("retry-after"))).toBe(true);
    config.shards = 2;
    expect((await call("ada", path)).status).toBe(200);
  });

  it("accepts a key once if it has left and another number of objects is used before it is evicted", async () => {
    const { call, advance, known, config } = createChangingStage(1);
    await call("ada", "/passing", {});
    await advance(2 * MINUTE);
    expect(known()).toEqual([]);
    config.shards = 2;
    expect((await call("ada", "/reports", {}, "key")).status).toBe(202);
    config.shards = 1;
    expect((await call("ada", "/reports", {}, "key")).status).toBe(503);
    config.shards = 2;
    expect((await call("ada", "/reports", {}, "key")).status).toBe(202);
  });

  it("keeps its number when it comes back, also in its storage", async () => {
    const { call, advance, evict, operator } = createObjectsStage();
    await call("ada", "/passing", {});
    await advance(2 * MINUTE);
    const first = (await call("ada", "/reports", {})).headers.get("location") ?? "";
    await advance(MINUTE);
    evict("ada");
    const second = (await call("ada", "/reports", {})).headers.get("location") ?? "";
    await advance(MINUTE);
    expect(second.slice(-8)).toBe(first.slice(-8));
    for (const path of [first, second])
      expect(await operator.get(path.slice("/operations/".length))).toMatchObject({ tenant: "ada" });
  });

  it.each([
    ["is down", down],
    ["never answers", () => new Promise<Response>(() => {})],
  ])("leaves later if the directory %s", async (_, answer) => {
    const { call, advance, known, directory, config, object } = createChangingStage(1);
    const { answer: answers } = directory;
    await call("ada", "/passing", {});
    await advance(500);
    directory.answer = answer;
    await advance(HOUR);
    expect(object("ada").alarms).toBeLessThan(12);
    expect(object("ada").works).toBe(0);
    directory.answer = answers;
    await advance(HOUR);
    expect(known()).toEqual([]);
    config.shards = 2;
    expect((await call("ada", "/passing", {})).status).toBe(202);
  });

  it("leaves although the answer to its last report came too late", async () => {
    const { call, advance, known, directory, clock } = createObjectsStage();
    const { answer } = directory;
    await call("ada", "/passing", {});
    directory.answer = async (request) => {
      const reply = await answer(request);
      if (request.headers.get("async-request-reply-call") === "report")
        await new Promise<void>((resolve) => clock.schedule(3_000, resolve));
      return reply;
    };
    await advance(2 * MINUTE);
    directory.answer = answer;
    await advance(HOUR);
    expect(known()).toEqual([]);
  });

  it("is forgotten if it keeps tables of the user", async () => {
    const { call, advance, known, counts, object } = createObjectsStage();
    await call("ada", "/passing", {});
    object("ada").storage.sql.exec("create table own (value)");
    await advance(HOUR);
    expect([known(), counts()]).toEqual([[], []]);
    expect(object("ada").storage.alarmAt).toBeNull();
    expect((await call("ada", "/reports", {})).status).toBe(202);
    await advance(MINUTE);
    expect(known()).toEqual([{ name: "ada" }]);
  });

  it("is forgotten if it was only asked", async () => {
    const { call, advance, known } = createObjectsStage(() => 3);
    expect(await (await call("ada", "/operations")).json()).toEqual({ operations: [] });
    expect(known()).toHaveLength(3);
    await advance(HOUR);
    expect(known()).toEqual([]);
  });

  it.each([
    ["stays", "/reports", [{ name: "ada" }]],
    ["leaves again", undefined, []],
  ])("%s if a request comes while it leaves", async (_, submits, expected) => {
    const { call, advance, known, directory, clock, operator } = createObjectsStage();
    const { answer } = directory;
    await call("ada", "/passing", {});
    const replies: Promise<Response>[] = [];
    directory.answer = async (request) => {
      if (request.headers.get("async-request-reply-call") === "leave") {
        directory.answer = answer;
        replies.push(submits === undefined ? call("ada", "/operations") : call("ada", submits, {}));
        await new Promise<void>((resolve) => clock.schedule(1_000, resolve));
      }
      return answer(request);
    };
    await advance(HOUR);
    const [reply] = await Promise.all(replies);
    expect(reply?.status).toBe(submits === undefined ? 200 : 202);
    expect(known()).toEqual(expected);
    const { operations } = await operator.list();
    expect(operations).toHaveLength(expected.length);
  });

  it("asks for a number again if a submission in process was refused", async () => {
    const { open, directory, advance } = createObjectsStage();
    const { answer } = directory;
    directory.answer = down;
    const { service } = await open("ada");
    const submit = () => service.submit(service.definitions[0], {}, { tenant: "ada" });
    directory.answer = answer;
    await advance(MINUTE);
    await expect(submit()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await turn();
    await expect(submit()).resolves.toBeDefined();
  });

  it("wakes up rarely for its report while the directory is down, and reports when it is back", async () => {
    const { call, advance, directory, object, counts } = createObjectsStage();
    const { answer } = directory;
    await call("ada", "/reports", {});
    await advance(MINUTE);
    directory.answer = down;
    await call("ada", "/reports", { fails: true });
    await advance(MINUTE);
    const before = object("ada").alarms;
    await advance(HOUR);
    expect(object("ada").alarms - before).toBeLessThanOrEqual(6);
    directory.answer = answer;
    await advance(10 * MINUTE);
    expect(counts()).toMatchObject([{ definition: "reports", failed: 1 }]);
  });

  it("wakes up twice for an operation, and once a day while it is kept", async () => {
    const { call, advance, object, calls } = createObjectsStage();
    await call("ada", "/reports", {});
    await advance(HOUR);
    expect(object("ada").alarms).toBe(2);
    expect(calls).toEqual(["report", "report", "report"]);
    await advance(DAY + HOUR);
    expect(object("ada").alarms).toBe(3);
    expect(object("ada").storage.alarmAt).toBeNull();
  });
});
