import { createOrderService, type Runtime, type ServiceEvent } from "async-request-reply";
import {
  createPostgresBackend,
  type PostgresBackendOptions,
  type SqlStatement,
} from "async-request-reply/postgres";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { signalOf } from "../support/worker-stage.js";

type Answer = () => unknown;

const never: Answer = () => new Promise(() => {});

/** An error of the driver, the network or the server. */
function failing(code: string, message = "failed"): Answer {
  return () => Promise.reject(Object.assign(new Error(message), { code }));
}

/** The first connections tell whether a release has made the schema, and which database it is. */
const FIRST_USES = 2;
const firstUse = { query: async () => ({ rows: [{ mark: "postgres 1" }] }), release: () => {} };

/** Creates a pool whose connections after the first use return these answers in order and fail afterwards. */
function poolOf(connects: readonly Answer[], answers: readonly Answer[]) {
  const log: string[] = [];
  const sent: unknown[] = [];
  const query = ({ values }: SqlStatement) => {
    log.push("query");
    sent.push(values);
    return (answers[log.filter((entry) => entry === "query").length - 1] ?? never)();
  };
  const client = { query, release: (broken?: boolean) => void log.push(broken ? "end" : "release") };
  let connected = -FIRST_USES;
  const connect = (callback: (error: Error | undefined, client: unknown) => void) => {
    if (connected < 0) {
      connected += 1;
      callback(undefined, firstUse);
      return;
    }
    const answer = connects[connected++] ?? (() => undefined);
    Promise.resolve(answer()).then(
      () => callback(undefined, client),
      (error: Error) => callback(error, undefined),
    );
  };
  return { pool: { connect } as never, log, sent };
}

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json" },
  body: '{"itemId":"a","quantity":1}',
};

/** Creates a service on such a pool. */
function serviceOn(
  pool: never,
  options: Partial<PostgresBackendOptions<never>> = {},
  settings: { readonly recordTimeoutMs?: number; readonly runtime?: Partial<Runtime> } = {},
) {
  const events: ServiceEvent[] = [];
  const own = { migrate: "manual", listen: false, statementTimeoutMs: 300, ...options } as const;
  const service = createOrderService({
    ...settings,
    authorize: () => ({ id: "a" }),
    backend: createPostgresBackend<never>({ pool, ...own }),
    observe: (event) => events.push(event),
  });
  const refused = (): readonly { code: string; error: unknown }[] =>
    events.flatMap((event) => (event.event === "request.refused" ? [event] : []));
  return { service, refused };
}

type Failure = readonly [name: string, connects: readonly Answer[], answers: readonly Answer[]];

const connected: Answer = () => undefined;
const ended = failing("", "Cannot use a pool after calling end on the pool");
const refusedConnection = failing("ECONNREFUSED");

const certain: readonly (readonly [...Failure, code: string])[] = [
  ["the pool has ended", [ended, ended, ended], [], "STORE_UNAVAILABLE"],
  ["the server refuses connections", Array(3).fill(refusedConnection), [], "STORE_UNAVAILABLE"],
  ["the server has no connection left", [failing("53300")], [], "OVERLOADED"],
  ["the pool never returns a connection", [never], [], "STORE_UNAVAILABLE"],
  ["the table is missing", [], [failing("42P01")], "STORE_UNAVAILABLE"],
  ["the role lacks permission", [], [failing("42501")], "STORE_UNAVAILABLE"],
  ["the disk is full", [], [failing("53100")], "OVERLOADED"],
  ["the server is read-only", [], Array(3).fill(failing("25006")), "STORE_UNAVAILABLE"],
];

const uncertain: readonly Failure[] = [
  ["the connection breaks", [], Array(3).fill(failing("ECONNRESET"))],
  [
    "the connection breaks and the next one is refused",
    [connected, ...Array(2).fill(refusedConnection)],
    [failing("ECONNRESET")],
  ],
  ["the connection breaks and the table is then missing", [], [failing("ECONNRESET"), failing("42P01")]],
  ["the answer does not arrive", [], [never]],
  ["the server shuts down", [], Array(3).fill(failing("57P01"))],
];

describe("a submission that fails in Postgres", () => {
  it.each(certain)("was certainly not recorded if %s", async (_, connects, answers, code) => {
    const { service, refused } = serviceOn(poolOf(connects, answers).pool);
    expect((await service.handle(post)).status).toBe(503);
    const message = expect.stringMatching(/Nothing was recorded\.$/) as string;
    expect(refused()).toMatchObject([{ code, error: { code, message } }]);
  });

  it.each(uncertain)("has an uncertain outcome if %s", async (_, connects, answers) => {
    const { service, refused } = serviceOn(poolOf(connects, answers).pool);
    expect((await service.handle(post)).status).toBe(503);
    expect(refused()).toMatchObject([{ code: "SUBMISSION_UNCERTAIN" }]);
  });

  it("was not recorded if the pool returns a connection after the caller has timed out", async () => {
    const late = signalOf();
    const { pool, log } = poolOf([() => late.promise], []);
    const { service, refused } = serviceOn(pool);
    await service.handle(post);
    late.resolve();
    await expect.poll(() => log).toEqual(["release"]);
    expect(refused()).toMatchObject([{ code: "STORE_UNAVAILABLE" }]);
  });

  describe("with one time limit for the service and for the store", () => {
    const limits = [{ statementTimeoutMs: 300 }, { recordTimeoutMs: 300 }] as const;
    const recorded: Answer = async () => ({ rows: [{ answer: null }] });

    it("was certainly not recorded if no connection ever came", async () => {
      const { service, refused } = serviceOn(poolOf(Array(10).fill(never), []).pool, ...limits);
      const answers = await Promise.all([1, 2, 3].map(() => service.handle(post)));
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
      expect(refused().map(({ code }) => code)).toEqual(Array(3).fill("STORE_UNAVAILABLE"));
    });

    it("has an uncertain outcome if the answer does not arrive", async () => {
      const { service, refused } = serviceOn(poolOf([], [never]).pool, ...limits);
      expect((await service.handle(post)).status).toBe(503);
      expect(refused()).toMatchObject([{ code: "SUBMISSION_UNCERTAIN" }]);
    });

    it("is never sent later, and the rest of its batch is", async () => {
      const give: (() => void)[] = [];
      const held: Answer = () => new Promise<void>((resolve) => void give.push(resolve));
      const { pool, sent } = poolOf([held, held, held], [recorded]);
      const clock = createManualClock();
      const runtime = { clock };
      const store = { maxInFlight: 1, statementTimeoutMs: 60_000, runtime };
      const { service, refused } = serviceOn(pool, store, { recordTimeoutMs: 1_000, runtime });
      const submit = (key: string) =>
        service.handle({ ...post, headers: { ...post.headers, "idempotency-key": key } });
      const first = submit("first");
      await clock.advance(100);
      const early = submit("early");
      await clock.advance(800);
      const late = submit("late");
      await clock.advance(100);
      expect((await first).status).toBe(503);
      give[0]?.();
      await clock.advance(100);
      expect((await early).status).toBe(503);
      give[1]?.();
      await expect.poll(() => give).toHaveLength(3);
      give[2]?.();
      expect((await late).status).toBe(202);
      expect(sent.flat(2)).toContain("late");
      expect(sent.flat(2)).not.toContain("early");
      expect(refused().map(({ code }) => code)).toEqual(["STORE_UNAVAILABLE", "STORE_UNAVAILABLE"]);
    });
  });

  it("was not recorded if too many submissions are waiting", async () => {
    const options = { maxWaiting: 1, maxInFlight: 1, maxBatch: 1 };
    const { service, refused } = serviceOn(poolOf([never], []).pool, options);
    await Promise.all(Array.from({ length: 4 }, () => service.handle(post)));
    expect(refused().map(({ code }) => code)).toContain("OVERLOADED");
    expect(refused().map(({ code }) => code)).not.toContain("SUBMISSION_UNCERTAIN");
  });

  it("has an uncertain outcome if other submissions of its batch were recorded", async () => {
    const badRow = failing("22021");
    const recorded: Answer = () => ({ rows: [{ place: 1, outcome: "created" }] });
    const { pool } = poolOf([], [badRow, badRow, recorded, failing("42501")]);
    const { service, refused } = serviceOn(pool, { maxInFlight: 1 });
    await Promise.all([service.handle(post), service.handle(post)]);
    expect(refused()).toMatchObject([{ code: "SUBMISSION_UNCERTAIN" }, { code: "SUBMISSION_UNCERTAIN" }]);
  });
});
