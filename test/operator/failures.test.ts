import { createMemoryBackend } from "async-request-reply";
import { createOperator, type FailureGroup, type Operator } from "async-request-reply/operator";
import { problemType } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claimOne } from "../support/claims.js";
import { codePoint } from "../support/code-point.js";
import { exportsOf } from "../support/operator/stage.js";

/** Creates an operator of operations that failed with these messages. */
async function operatorOf(...messages: readonly string[]): Promise<Operator> {
  const backend = createMemoryBackend();
  for (const [index, detail] of messages.entries()) {
    const id = `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`;
    const error = JSON.stringify({ type: problemType("work-failed"), detail });
    const operation = { id, tenant: "a", definition: "exports", input: "1", retentionMs: 60_000 };
    await backend.operations.create(operation, { state: "failed", error });
  }
  return createOperator({ backend, definitions: [exportsOf], observe: false });
}

/** Groups operations that failed with these messages. */
async function groupsOf(...messages: readonly string[]): Promise<readonly FailureGroup[]> {
  return (await (await operatorOf(...messages)).failures()).groups;
}

const messages: readonly (readonly [kind: string, message: string, masked: string])[] = [
  ["text without variable parts", "The item is out of stock.", "The item is out of stock."],
  ["a number", "Order 4711 not found.", "Order * not found."],
  ["a number with separators", "Paid 1,234.50 of 99", "Paid * of *"],
  ["a list of numbers", "rows 1,2,3 and 4, 5", "rows * and *, *"],
  ["a UUID", "no user 6f1c8ad0-26b5-4b4e-9f6f-1f2e3d4c5b6a!", "no user *!"],
  ["a hexadecimal number", "bad pointer 0xDEADbeef", "bad pointer *"],
  ["a hash", "commit deadbeefcafe of 5e0e", "commit * of *"],
  ["an id with letters", "ticket INC-204, item sku_9f and A.7", "ticket *, item * and *"],
  ["text in double quotes", 'column "email" of "users"', 'column "*" of "*"'],
  ["text in single quotes", "reading 'name' and 'age of a dog'", "reading '*' and '*'"],
  ["apostrophes", "can't find it, users' fault", "can't find it, users' fault"],
  ["empty quotes and a quote without an end", `"" and "no end`, `"" and "no end`],
  ["an email address", "<jane.doe+x@mail.example.com>: rejected", "<*>: rejected"],
  [
    "a URL",
    "GET https://api.example.com:8443/orders/42/items",
    "GET https://api.example.com:*/orders/*/items",
  ],
  [
    "the query of a URL",
    "GET https://a.example/find?name=bob&b=x failed",
    "GET https://a.example/find?* failed",
  ],
  ["the query of a path", "POST /orders?of=bob: no. Why/how?", "POST /orders?* no. Why/how?"],
  ["an address of a machine", "connect ECONNREFUSED 10.0.0.17:5432", "connect ECONNREFUSED *:*"],
  ["a time", "at 2026-11-26T10:20:30.123Z since 09:59", "at *:*:* since *:*"],
  ["JSON", '{"id":7,"tags":["x",null]}', '{"*":*,"*":["*",null]}'],
  ["a violation in Postgres", "Key (email)=(a@b.example) already exists.", "Key (email)=(*) already exists."],
  [
    "letters and digits of other scripts",
    "Bestellung übergröße ٤٢ 注文 四二",
    "Bestellung übergröße * 注文 四二",
  ],
  ["several lines", "  first\n\tsecond\r\n", "first second"],
  ["half a character at the end", "x\ud83d", "x\ufffd"],
  ["nothing", "", ""],
];

/** Texts that make careless patterns slow. */
const hostile: readonly string[] = [
  "a",
  "a-",
  "a.",
  "-",
  "@",
  "a@",
  '"',
  "'",
  `"'`,
  ` "a' `,
  "/",
  "/?",
  "://",
  "1,",
  "\n",
  " ",
  "\u0301",
  "\ud83d",
];

describe("the message of a group of failures", () => {
  it.each(messages)("replaces variable parts: %s", async (_, message, masked) => {
    expect(await groupsOf(message)).toMatchObject([{ message: masked }]);
  });

  it("is one for sixty failures with different ids", async () => {
    const sixty = Array.from(
      { length: 60 },
      (_, id) => `User ${crypto.randomUUID()} has no order ${id * 997}: '${"x".repeat(id + 1)}' expired`,
    );
    expect(await groupsOf(...sixty)).toMatchObject([
      { message: "User * has no order *: '*' expired", count: 60 },
    ]);
  });

  it("is short, and the same for long messages that were cut after different ids", async () => {
    const cut = (id: string): string => `order ${id}: ${"no stock, ".repeat(200)}`.slice(0, 1_024);
    const [group] = await groupsOf(cut("1"), cut("123456"));
    expect(group?.count).toBe(2);
    expect(group?.message).toHaveLength(256);
    expect(await groupsOf(`${"x".repeat(255)}😀`)).toMatchObject([{ message: "x".repeat(255) }]);
  });

  it.each(hostile)("does not keep the operator busy if it is hostile: %j", async (part) => {
    const operator = await operatorOf(part.repeat(100_000));
    // A pattern that backtracks would take longer than a test may.
    expect(await operator.failures()).toMatchObject({ groups: [{ count: 1 }] });
  });

  it("never grows, has no digits, and finds its group", async () => {
    const texts = fc.string({ unit: codePoint, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const operator = await operatorOf(text);
        const [{ message } = { message: "none" }] = (await operator.failures()).groups;
        expect(message.length).toBeLessThanOrEqual(text.length);
        expect(message).not.toMatch(/\p{N}/u);
        expect((await operator.list({ message })).operations).toHaveLength(1);
      }),
    );
  });

  // A digit before a quote makes it an apostrophe, and a placeholder does not.
  it.each(['5"by 3"', "x1'y z'"])("finds its group if masking it again would change it: %s", async (text) => {
    const operator = await operatorOf(text);
    const [{ message } = { message: "none" }] = (await operator.failures()).groups;
    expect(await groupsOf(message)).not.toMatchObject([{ message }]);
    expect((await operator.list({ message })).operations).toHaveLength(1);
  });
});

describe("a group of failures", () => {
  it("says when the first and the last failed, in any order of creation", async () => {
    const clock = createManualClock();
    const backend = createMemoryBackend({ clock });
    const ids = ["a", "b", "c"].map((end) => `01900000-0000-7000-8000-00000000000${end}`);
    for (const id of ids) {
      await backend.operations.create({
        id,
        tenant: "a",
        definition: "exports",
        input: "1",
        retentionMs: 60_000,
      });
      await claimOne(backend.operations, id, { token: id, leaseMs: 60_000 });
      await clock.advance(1);
    }
    const failedAt: number[] = [];
    for (const id of [1, 2, 0].map((index) => ids[index] ?? "")) {
      await clock.advance(10);
      failedAt.push(clock.now());
      await backend.operations.settle({ operationId: id, token: id }, { to: "failed", error: "{}" });
    }
    const operator = createOperator({ backend, definitions: [exportsOf], observe: false });
    expect((await operator.failures()).groups).toMatchObject([
      {
        count: 3,
        firstFailedAt: new Date(failedAt[0] ?? 0),
        lastFailedAt: new Date(failedAt[2] ?? 0),
        exampleId: ids[2],
      },
    ]);
  });
});
