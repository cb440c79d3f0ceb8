import {
  AsyncReplyError,
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  permanentFailure,
  retryLater,
  type WorkerOptions,
} from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { createStage, errorOf } from "../../support/worker-stage.js";
import { failing, reasonOf, runOrder, submitted } from "../stage.js";

const PAYLOAD = "kanarie-value";

/** Runs one attempt that throws, and returns the reason that the store keeps. */
async function reasonFor(thrown: unknown, options: WorkerOptions = {}): Promise<Record<string, unknown>> {
  const { id, read, worker } = await submitted(createStage(), { itemId: PAYLOAD, quantity: 1 });
  await worker({ orders: failing(thrown) }, options).runUntilIdle();
  const operation = await read(id);
  expect(operation).toMatchObject({ state: "pending", attempt: 1 });
  return reasonOf(operation);
}

const unreadable = new Proxy(new Error(PAYLOAD), { get: failing(new Error(PAYLOAD)) });

const cyclic = new Error("a");
cyclic.cause = cyclic;

describe("an attempt that fails", () => {
  it("keeps the class, the code and the message of its error as a problem", async () => {
    const error = Object.assign(new TypeError("connect"), { code: "ECONNREFUSED" });
    expect(await reasonFor(error)).toEqual({
      type: problemType("work-failed"),
      title: "The work failed",
      detail: "The processor threw TypeError ECONNREFUSED: connect",
      attempt: 1,
      at: Date.UTC(2026, 0, 1),
      ms: 0,
      process: expect.stringMatching(/^[0-9a-f]{8}$/),
    });
  });

  it.each([
    ["an error with a payload in its message", new Error(`bad item ${PAYLOAD}`), " Error"],
    [
      "an error with a payload in its name and code",
      Object.assign(new Error("x"), { name: `bad item ${PAYLOAD}`, code: `${PAYLOAD} is bad` }),
      "",
    ],
    ["an error with a long code", Object.assign(new Error("x"), { code: "x".repeat(101) }), " Error"],
    ["an error with a number for its code", Object.assign(new Error("x"), { code: 42 }), " Error"],
    ["a string", PAYLOAD, ""],
    ["nothing", undefined, ""],
    ["null", null, ""],
    ["an error that cannot be read", unreadable, ""],
  ])("keeps no part of a payload if it keeps classes only: %s", async (_, thrown, name) => {
    const reason = await reasonFor(thrown, { errors: "class" });
    expect(reason.detail).toBe(`The processor threw${name}.`);
    expect(JSON.stringify(reason)).not.toContain("kanarie");
  });

  it.each([
    [
      "with its causes",
      new TypeError("fetch failed", {
        cause: new Error("no route", { cause: Object.assign(new Error(""), { code: "EHOSTUNREACH" }) }),
      }),
      " TypeError: fetch failed (caused by Error: no route) (caused by Error EHOSTUNREACH.)",
    ],
    ["without a name", Object.assign(new Error("late"), { name: "not a name" }), ": late"],
    ["that is a string", "out of paper", ": out of paper"],
    ["that is nothing", undefined, "."],
    ["that cannot be read", unreadable, "."],
    ["that is its own cause", cyclic, ` Error: a${" (caused by Error: a)".repeat(3)}`],
    ["with a message that is no text", Object.assign(new Error(), { message: {} }), " Error."],
    ["with NUL and half a character", new Error("a\0b\ud83d"), " Error: a\ufffdb\ufffd"],
    ["with several lines", new Error("a\n\tb\u001b[2J"), " Error: a\n\tb\ufffd[2J"],
  ])("keeps the message of an error %s", async (_, thrown, shown) => {
    expect((await reasonFor(thrown)).detail).toBe(`The processor threw${shown}`);
  });

  it("keeps 1 KB of a message, in whole characters", async () => {
    const lead = "The processor threw Error: ";
    const { detail } = await reasonFor(new Error("\u{1f600}".repeat(10_000_000)));
    expect(detail).toBe(lead + "\u{1f600}".repeat(Math.floor((1_024 - lead.length) / 4)));
  });

  it("keeps what its processor chooses, and not what the worker does", async () => {
    const { id, read, worker } = await submitted(createStage());
    const orders = { run: failing(new Error(PAYLOAD)), errors: "class" } as const;
    await worker({ orders }, { errors: "message" }).runUntilIdle();
    expect(reasonOf(await read(id)).detail).toBe("The processor threw Error.");
  });

  it("refuses to keep anything else", () => {
    const { worker } = createStage();
    const options = { errors: "stack" } as unknown as WorkerOptions;
    expect(() => worker({ orders: () => "done" }, options)).toThrow(
      'Option `errors` must be `message` or `class`, not "stack"',
    );
  });

  it("records that the worker ended the attempt, and why", async () => {
    const { id, read, worker, clock } = await submitted(createStage());
    const working = worker({ orders: () => new Promise(() => {}) }, { attemptTimeoutMs: 1_000 });
    const idle = working.runUntilIdle();
    await clock.advance(1_000);
    await idle;
    expect(reasonOf(await read(id)).detail).toBe(
      "ATTEMPT_TIMEOUT: The attempt did not end within 1000 ms. To allow more time, raise `attemptTimeoutMs`.",
    );
  });

  it("keeps the reason of the previous attempt, also after the end", async () => {
    const { id, read, worker, clock } = await submitted(createStage());
    const working = worker({
      orders: (_, { attempt }) => {
        if (attempt === 1) throw new RangeError("first");
        if (attempt === 2) throw new TypeError("second");
      },
    });
    await working.runUntilIdle();
    expect((await read(id)).lastError).toContain("RangeError");
    await clock.advance(1_000);
    await working.runUntilIdle();
    expect((await read(id)).lastError).toContain("TypeError");
    await clock.advance(2_000);
    await working.runUntilIdle();
    const completed = await read(id);
    expect(completed.state).toBe("completed");
    expect(completed.lastError).toContain("TypeError");
  });

  it("keeps the reason of the final attempt", async () => {
    const { operation } = await runOrder(failing(new RangeError("final")), { maxAttempts: 1 });
    expect(operation).toMatchObject({ state: "failed", attempt: 1 });
    expect(operation.lastError).toContain("RangeError");
    expect(operation.error).not.toContain("RangeError");
  });

  it("keeps the reasons of the last 20 attempts, the earlier ones shortened", async () => {
    const { id, read, worker, clock } = await submitted(createStage());
    const orders = (_: unknown, { attempt }: { readonly attempt: number }): never => {
      const cause = new AsyncReplyError("INTERNAL", `${attempt} ${"x".repeat(5_000)}`);
      throw retryLater({ afterMs: 0, cause });
    };
    const working = worker({ orders }, { maxAttempts: 25 });
    for (let attempt = 1; attempt <= 25; attempt += 1) {
      await working.runUntilIdle();
      await clock.advance(60_000);
    }
    const { lastError = "" } = await read(id);
    const { attempt, earlier } = JSON.parse(lastError);
    expect(attempt).toBe(25);
    const numbers = earlier.map((error: { attempt: number }) => error.attempt);
    expect(numbers).toEqual(Array.from({ length: 19 }, (_, index) => 24 - index));
    expect(lastError.length).toBeLessThan(3_400);
  });

  it("shows the reason only to operators", async () => {
    const backend = createMemoryBackend();
    const runtime = { random: () => 0.5 };
    const service = createOrderService({ backend, authorize: allowAnonymous(), list: true, runtime });
    const headers = { "content-type": "application/json" };
    const body = '{"itemId":"a","quantity":1}';
    const accepted = await service.handle({ method: "POST", path: "/orders", headers, body });
    await createWorker(service, { orders: failing(new TypeError("internal")) }).runUntilIdle();
    const path = accepted.headers.location ?? "";
    expect(JSON.stringify(await backend.operations.list({ limit: 1 }))).toContain("TypeError");
    const reply = await service.handle({ method: "GET", path, headers: {} });
    const members = ["operationId", "status", "definition", "createdAt", "attempt"];
    expect(Object.keys(JSON.parse(String(reply.body)))).toEqual(members);
    const list = await service.handle({ method: "GET", path: "/operations", headers: {} });
    expect(Object.keys(JSON.parse(String(list.body)).operations[0])).toEqual(members);
  });
});

describe("the reason of a permanent failure", () => {
  it.each([
    ["with NUL and half a character", "a\0b\ud83d", "a\ufffdb\ufffd"],
    ["with lines and an escape", "a\r\nb\tc\u001b[2J", "a\nb\tc\ufffd[2J"],
    ["cut in a pair", `${"x".repeat(9_999)}😀`, "x".repeat(9_999)],
    ["cut after a pair", `${"x".repeat(9_998)}😀😀`, `${"x".repeat(9_998)}😀`],
  ])("is stored as text that every store and reply can hold: %s", async (_, reason, expected) => {
    const { operation } = await runOrder(() => Promise.reject(permanentFailure(reason)));
    expect(errorOf(operation)).toMatchObject({ detail: expected });
  });
});
