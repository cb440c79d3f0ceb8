import { runInNewContext } from "node:vm";
import type { Job } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { createStage, errorOf } from "../../support/worker-stage.js";
import { failing, runOrder, submitted } from "../stage.js";

const HINT = "Use plain JSON values, or give it a toJSON() method.";

const UNREADABLE =
  "The result of the work cannot be stored: The value threw an error or changed while it was converted to JSON.";

const cyclic = { name: "page", parts: [{ of: {} }] };
cyclic.parts[0] = { of: cyclic };

class Invoice {
  readonly total = 3;
}

class Reference {
  toJSON(): unknown {
    return new Map();
  }
}

const holes: unknown[] = ["a"];
holes[2] = "c";

const deep = (levels: number): unknown => {
  let value: unknown = new Map();
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};

/** Each value, the path of the refused part, and its kind. */
const refused: readonly (readonly [value: unknown, path: string, what: string])[] = [
  [new Map([["a", 1]]), "$", "a Map"],
  [{ pages: [1, 2, 3, new Map()] }, "$.pages[3]", "a Map"],
  [{ "a b": new Set() }, '$["a b"]', "a Set"],
  [{ 'say "hi"': { $ok: 1n } }, '$["say \\"hi\\""].$ok', "a bigint"],
  [{ "": { "1": Symbol("secret") } }, '$[""]["1"]', "a symbol"],
  [{ run: () => "secret" }, "$.run", "a function"],
  [() => "secret", "$", "a function"],
  [{ rates: [0.5, Number.NaN] }, "$.rates[1]", "NaN"],
  [{ rate: -Infinity }, "$.rate", "-Infinity"],
  [Object(Number.NaN), "$", "NaN"],
  [{ amount: Object(1n) }, "$.amount", "a class instance"],
  [["a", undefined], "$[1]", "undefined"],
  [holes, "$[1]", "undefined"],
  [[{ toJSON: () => undefined }], "$[0]", "undefined"],
  [{ toJSON: () => undefined }, "$", "undefined"],
  [{ invoice: new Invoice() }, "$.invoice", "a class instance"],
  [{ by: Object.create(Invoice.prototype) }, "$.by", "a class instance"],
  [{ defaults: Object.create({ a: 1 }) }, "$.defaults", "a class instance"],
  [{ rootless: Object.create(class extends null {}.prototype) }, "$.rootless", "a class instance"],
  [{ pages: [Promise.resolve(1)] }, "$.pages[0]", "a Promise"],
  [{ error: new RangeError("secret") }, "$.error", "a class instance"],
  [{ bytes: new Uint8Array(2) }, "$.bytes", "a class instance"],
  [{ foreign: runInNewContext("new Map()") }, "$.foreign", "a Map"],
  [{ foreign: runInNewContext("new (class Secret {})()") }, "$.foreign", "a class instance"],
  [{ foreign: runInNewContext("[1, , 3]") }, "$.foreign[1]", "undefined"],
  [{ ref: new Reference() }, "$.ref", "a Map"],
  [{ ref: { toJSON: () => ({ deeper: [new Set()] }) } }, "$.ref.deeper[0]", "a Set"],
  [{ self: { toJSON: () => new Invoice() } }, "$.self", "a class instance"],
  [{ name: "cut \ud83d" }, "$.name", "text with a lone surrogate"],
  [["\\\ude00"], "$[0]", "text with a lone surrogate"],
  [{ "\ud83d": 1 }, '$["\\ud83d"]', "text with a lone surrogate"],
  [cyclic, "$.parts[0].of", "an object that contains itself"],
  [deep(500), `$${"[0]".repeat(500)}`, "a Map"],
];

async function failureOf(value: unknown): Promise<{ readonly type: string; readonly detail: string }> {
  const { operation } = await runOrder(() => value);
  expect(operation).toMatchObject({ state: "failed", attempt: 1 });
  return errorOf(operation);
}

async function resultOf(value: unknown): Promise<string | undefined> {
  const { operation } = await runOrder(() => value);
  expect(operation.state).toBe("completed");
  return operation.result;
}

describe("a result that JSON cannot represent", () => {
  it.each(refused)("fails the operation with the path of the value (%#)", async (value, path, what) => {
    expect(await failureOf(value)).toMatchObject({
      type: problemType("invalid-result"),
      detail: `The result of the work cannot be stored: \`${path}\` is ${what}, which JSON cannot represent. ${HINT}`,
    });
  });

  it("is distinguished from a value that throws while it is read", async () => {
    const broken = { page: { toJSON: failing(new Error("secret")) } };
    expect((await failureOf(broken)).detail).toBe(UNREADABLE);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect((await failureOf({ proxy })).detail).toBe(UNREADABLE);
    expect((await failureOf(deep(100_000))).detail).toBe(UNREADABLE);
  });

  it("is refused even if it reads differently the second time", async () => {
    let reads = 0;
    const changing = {
      get page() {
        reads += 1;
        return reads === 1 ? new Map() : "plain";
      },
    };
    expect((await failureOf(changing)).detail).toBe(UNREADABLE);
  });

  it("is reported with its size and the option if it is too large", async () => {
    expect((await failureOf("é".repeat(40_000))).detail).toBe(
      "The result of the work cannot be stored: The value takes 80002 bytes as JSON, and `maxResultBytes` allows 65536.",
    );
  });
});

describe("a result that JSON can represent", () => {
  const shared = { a: 1 };
  const kept: readonly (readonly [name: string, value: unknown, result: string])[] = [
    ["a plain object", { a: [null, true, "b", 1.5] }, '{"a":[null,true,"b",1.5]}'],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ["an object of another realm", runInNewContext("({ a: [1, { b: 2 }] })"), '{"a":[1,{"b":2}]}'],
    ["a member that is undefined, which is dropped", { a: 1, b: undefined }, '{"a":1}'],
    ["a member whose toJSON returns undefined", { a: { toJSON: () => undefined }, b: 1 }, '{"b":1}'],
    ["a Date", [new Date(0)], '["1970-01-01T00:00:00.000Z"]'],
    ["a Buffer", Buffer.from("a"), '{"type":"Buffer","data":[97]}'],
    ["boxed primitives", [Object(1), Object("a"), Object(false)], '[1,"a",false]'],
    ["boxed primitives of another realm", runInNewContext("[new Number(1), new String('a')]"), '[1,"a"]'],
    [
      "an object twice, which is no cycle",
      { first: shared, second: [shared, shared] },
      '{"first":{"a":1},"second":[{"a":1},{"a":1}]}',
    ],
    ["a Proxy of a plain object", new Proxy({ a: 1 }, {}), '{"a":1}'],
    ["an array of a subclass", new (class Pages extends Array {})(), "[]"],
  ];

  it.each(kept)("is kept: %s", async (_, value, result) => {
    expect(await resultOf(value)).toBe(result);
  });
});

describe("progress that cannot be stored", () => {
  const ORDERS = { definition: "orders", tenant: "anonymous", attempt: 1 };

  it.each([
    ["is not JSON", { done: new Map() }, `\`$.done\` is a Map, which JSON cannot represent. ${HINT}`],
    ["is undefined", undefined, `\`$\` is undefined, which JSON cannot represent. ${HINT}`],
    ["cannot be read", { toJSON: () => JSON.parse("{") }, "The value threw an error or changed while"],
    ["is too large", "x".repeat(65_535), "`maxResultBytes` allows 65536"],
  ])(
    "is dropped and reported with what is expected, and the work goes on: %s",
    async (_, value, expected) => {
      const { id, operation, events } = await runOrder((__, job) => {
        job.progress("before");
        job.progress(value);
        return "done";
      });
      expect(operation).toMatchObject({ state: "completed", result: '"done"', progress: '"before"' });
      const error = { code: "INVALID_RESULT", message: expect.stringContaining(expected) };
      expect(events.filter(({ event }) => event === "progress.dropped")).toMatchObject([
        { event: "progress.dropped", operationId: id, ...ORDERS, error },
      ]);
    },
  );

  it("is reported once in an attempt, and does not stop later progress", async () => {
    const { id, read, worker, events, clock } = await submitted(createStage());
    const orders = (_: unknown, job: Job): void => {
      for (let done = 0; done < 100; done += 1) job.progress({ done: BigInt(done) });
      job.progress({ done: 100 });
      if (job.attempt === 1) throw new Error("again");
    };
    const working = worker({ orders }, { backoff: { baseMs: 1_000, maxMs: 1_000 } });
    await working.runUntilIdle();
    await clock.advance(1_000);
    await working.runUntilIdle();
    expect((await read(id)).progress).toBe('{"done":100}');
    const attempts = events.map((event) => event.event === "progress.dropped" && event.attempt);
    expect(attempts.filter((attempt) => attempt !== false)).toEqual([1, 2]);
  });
});

describe("a result with an escape that looks like half a character", () => {
  it.each(["\\ud83d", "😀", "\\\\ud83d"])("is stored as it is: %j", async (text) => {
    expect(JSON.parse((await resultOf({ text })) ?? "")).toEqual({ text });
  });
});
