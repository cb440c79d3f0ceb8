import {
  AsyncReplyError,
  createConsoleObserver,
  createMemoryBackend,
  createOrderService,
  createWorker,
  type OrderServiceOptions,
  permanentFailure,
  type ServiceEvent,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { failing } from "../worker/stage.js";
import { captureConsole, type Line, replaceConsole } from "./captured-console.js";

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json" },
  body: '{"itemId":"a","quantity":1}',
};

function createStage(options: Partial<OrderServiceOptions> = {}) {
  const clock = createManualClock();
  const backend = createMemoryBackend({ clock });
  const authorize = (): { id: string } => ({ id: "a" });
  const runtime = { clock, random: () => 0.5 };
  return { clock, service: createOrderService({ authorize, backend, runtime, ...options }) };
}

const no = failing(new Error("no"));

/** Posts an order to a service, and returns what the console got. */
async function linesOf(options: Partial<OrderServiceOptions>): Promise<readonly Line[]> {
  const lines = captureConsole();
  await createStage(options).service.handle(post);
  return lines;
}

/** Posts an order, whose work fails, and returns the id of its operation. */
async function fail(service: ReturnType<typeof createOrderService>, error: unknown): Promise<string> {
  const { headers } = await service.handle(post);
  await createWorker(service, { orders: failing(error) }).runUntilIdle();
  return (headers.location ?? "").slice("/operations/".length);
}

describe("without `observe` the console", () => {
  it("gets a line for a failed attempt with the operation, the definition, the code and the cause", async () => {
    const lines = captureConsole();
    const error = new Error("no answer\nfrom \u001b[31mstock", { cause: new TypeError("no route") });
    const operation = await fail(createStage().service, error);
    const shown = lines.map(([level, line]) => [level, line.replace(/in \d+ ms/, "in N ms")]);
    expect(shown).toEqual([
      [
        "warn",
        "[async-request-reply] operation.retried: The attempt failed. It will be retried in N ms. " +
          `operation=${operation} definition=orders tenant=a principal=a attempt=1 error="Error: no answer\\nfrom \\u001b[31mstock" ` +
          'cause="TypeError: no route"',
      ],
    ]);
  });

  it("gets the causes of a cause, such as the database's error inside an ORM's, and at most 3 of them", async () => {
    const lines = captureConsole();
    const loop = new Error("terminated");
    loop.cause = loop;
    const error = new Error("outer", { cause: new Error("Failed query", { cause: loop }) });
    await fail(createStage().service, error);
    expect(lines[0]?.[1]).toMatch(
      / error="Error: outer" cause="Error: Failed query < Error: terminated < Error: terminated"$/,
    );
  });

  it("gets the code of an error from this package", async () => {
    const lines = captureConsole();
    const operation = await fail(createStage().service, permanentFailure("Sold out."));
    expect(lines.map(([, line]) => line)).toEqual([
      `[async-request-reply] operation.failed: The operation failed. operation=${operation} definition=orders tenant=a principal=a attempt=1 ` +
        'code=PERMANENT_FAILURE error="PERMANENT_FAILURE: Sold out."',
    ]);
  });

  it("gets the stack of an error on one line if nothing else explains it", async () => {
    const lines = captureConsole();
    const admit = failing(new TypeError("x is not a function"));
    const { service } = createStage({ admit });
    expect((await service.handle(post)).status).toBe(500);
    const [[level, line = ""] = []] = lines;
    expect(level).toBe("error");
    expect(line).toMatch(
      /^\[async-request-reply\] request\.refused: A request was answered with status 500\. method=POST route="\/orders" code=INTERNAL error="TypeError: x is not a function" stack="at .+ < at .+"$/,
    );
    expect(line).toContain("console-observer.test.ts");
  });

  it("gets no lines for mistakes of clients or for successful work", async () => {
    const lines = captureConsole();
    const { service } = createStage();
    const worker = createWorker(service, { orders: () => "done" });
    const keyed = { ...post, headers: { ...post.headers, "idempotency-key": "k" } };
    const replies = [
      await service.handle(keyed),
      await service.handle(keyed),
      await service.handle({ ...keyed, body: '{"itemId":"b","quantity":1}' }),
      await service.handle({ ...post, body: "{" }),
      await service.handle({ ...post, path: "/nowhere" }),
    ];
    await worker.runUntilIdle();
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 422, 400, 404]);
    expect(lines).toEqual([]);
  });

  it("gets 10 lines in 10 s for each event and code, and then the number of suppressed lines", async () => {
    const lines = captureConsole();
    const unavailable = { status: 503, retryAfterSeconds: 1 } as const;
    const { clock, service } = createStage({ admit: () => unavailable });
    const other = createStage({ admit: failing(new Error("other")) }).service;
    for (let count = 0; count < 25; count += 1) await service.handle(post);
    await other.handle(post);
    expect(lines).toHaveLength(12);
    expect(lines[10]).toEqual([
      "error",
      "[async-request-reply] request.refused OVERLOADED: more of these in the next seconds are suppressed.",
    ]);
    await clock.advance(10_000);
    await service.handle(post);
    expect(lines.slice(12)).toEqual([
      ["warn", "[async-request-reply] request.refused OVERLOADED: suppressed 15 more."],
      ["error", expect.stringContaining("status 503")],
    ]);
  });

  it("restarts the count in time although the clock was set back", async () => {
    const lines = captureConsole();
    const { clock, service } = createStage({ admit: no });
    for (let count = 0; count < 25; count += 1) await service.handle(post);
    await clock.jump(-86_400_000);
    await clock.advance(10_000);
    await service.handle(post);
    expect(lines.at(-1)?.[1]).toContain("status 500");
  });

  it("keeps no timer for the suppression", async () => {
    captureConsole();
    const scheduled: number[] = [];
    const clock = { now: () => 0, elapsed: () => 0, schedule: (ms: number) => () => void scheduled.push(ms) };
    const { service } = createStage({ admit: no, runtime: { clock } });
    for (let count = 0; count < 25; count += 1) await service.handle(post);
    expect(scheduled).toEqual([]);
  });

  it("gets lines from a worker that was created without a service", async () => {
    const lines = captureConsole();
    const { service } = createStage({ observe: false });
    const { backend, definitions } = service;
    const worker = createWorker({ backend, definitions }, { orders: failing(permanentFailure("No.")) });
    await service.handle(post);
    await worker.runUntilIdle();
    expect(lines).toHaveLength(1);
  });

  it.each(["error", "warn"])("may lack the method %s", async (method) => {
    const lines: string[] = [];
    replaceConsole({ log: (line: string) => lines.push(line), [method]: undefined });
    const { service } = createStage({ admit: no });
    await service.handle(post);
    expect(lines).toHaveLength(1);
  });

  it.each([
    ["missing", undefined],
    ["without methods", {}],
    ["failing", { error: failing(new Error("the pipe is closed")) }],
  ])("may be %s", async (_, replacement) => {
    replaceConsole(replacement);
    const { service } = createStage({ admit: no });
    expect((await service.handle(post)).status).toBe(500);
  });

  it("gets a line for an error that cannot be read", async () => {
    const { proxy, revoke } = Proxy.revocable(new Error("gone"), {});
    revoke();
    const lines = await linesOf({ admit: () => Promise.reject(proxy) });
    expect(lines).toEqual([["error", expect.stringContaining('error="an unreadable error"')]]);
  });

  it("gets at most 500 characters of a message", async () => {
    const admit = failing(new AsyncReplyError("QUEUE_UNAVAILABLE", "x".repeat(10_000)));
    const lines = await linesOf({ admit });
    expect(lines[0]?.[1].length).toBeLessThan(700);
  });
});

describe("`observe: false`", () => {
  it("silences the service and its workers", async () => {
    const lines = await linesOf({ observe: false, admit: no });
    await fail(createStage({ observe: false }).service, permanentFailure("No."));
    expect(lines).toEqual([]);
  });
});

describe("a custom observer", () => {
  it("replaces the console", async () => {
    const events: string[] = [];
    const lines = await linesOf({ observe: ({ event }) => void events.push(event), admit: no });
    expect({ lines, events }).toEqual({ lines: [], events: ["request.refused"] });
  });
});

describe("createConsoleObserver", () => {
  it("can be combined with the console lines", async () => {
    const events: string[] = [];
    const log = createConsoleObserver();
    const observe = (event: ServiceEvent): void => {
      events.push(event.event);
      log(event);
    };
    const lines = await linesOf({ admit: no, observe });
    expect({ lines: lines.length, events }).toEqual({ lines: 1, events: ["request.refused"] });
  });
});

describe("a service without `authorize`", () => {
  it("says once what is missing and what to do, and nothing before its first request", async () => {
    const lines = captureConsole();
    const service = createOrderService({ backend: createMemoryBackend() });
    await service.submit(service.definitions[0], { itemId: "a", quantity: 1 });
    expect(lines).toEqual([]);
    await service.handle(post);
    await service.handle(post);
    expect(lines).toEqual([
      [
        "error",
        "[async-request-reply] service.no-authorize: The service has no `authorize`, so it refuses every HTTP request " +
          "with status 500. Pass a hook such as `bearer(verify)` to createService(), or `allowAnonymous()` to allow everyone.",
      ],
    ]);
  });
});

describe("a service without a back end", () => {
  const MEMORY_ONLY =
    "[async-request-reply] service.memory-only: The service has no `backend`, so operations are kept in memory and are " +
    "lost when the process ends. Pass a back end such as `createPostgresBackend({ pool })`, or `createMemoryBackend()` " +
    "if this is intended.";

  it.each([
    ["explicitly", { backend: createMemoryBackend() }],
    ["by default", {}],
  ])("writes one error in production, if memory is used %s", (_, options) => {
    const lines = captureConsole();
    vi.stubEnv("NODE_ENV", "production");
    onTestFinished(() => void vi.unstubAllEnvs());
    createOrderService({ authorize: () => ({ id: "a" }), ...options });
    expect(lines).toEqual([
      ["error", expect.stringMatching(/operations, their results .+ lost.+createPostgres/)],
    ]);
  });

  it("warns once that operations are lost with the process, unless memory is passed explicitly", async () => {
    const lines = captureConsole();
    const authorize = (): { id: string } => ({ id: "a" });
    const service = createOrderService({ authorize });
    await service.handle(post);
    await createWorker(service, { orders: () => {} }).runUntilIdle();
    createOrderService({ authorize, backend: createMemoryBackend() });
    createOrderService({ authorize, observe: false });
    expect(lines).toEqual([["warn", MEMORY_ONLY]]);
  });
});
