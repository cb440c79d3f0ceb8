import {
  type Authorize,
  bearer,
  createMemoryBackend,
  createOrderService,
  type ServiceEvent,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { equalInConstantTime } from "../../src/http/access/credentials.js";
import { mountOrders, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { countedText } from "../support/counted-text.js";
import { interceptBackend, type PortCall } from "../support/intercept-backend.js";
import { createPlainHarness, toHttpRequest } from "../support/plain-harness.js";

const OUTAGE = new Error("connect ECONNREFUSED 10.0.0.7:443");

describe("S3: an authorize hook that does not return a principal", () => {
  const hooks: readonly { readonly does: string; readonly authorize: Authorize; readonly status: number }[] =
    [
      { does: "returns nothing", authorize: () => undefined, status: 401 },
      { does: "resolves to nothing", authorize: async () => null, status: 401 },
      {
        does: "throws",
        authorize: () => {
          throw new Error("no");
        },
        status: 503,
      },
      { does: "rejects", authorize: () => Promise.reject(new Error("no")), status: 503 },
      { does: "returns an id that is a number", authorize: () => ({ id: 7 }) as never, status: 503 },
      { does: "hangs", authorize: () => new Promise<never>(() => {}), status: 503 },
    ];

  it.each(hooks)(
    "records nothing and reads no byte of the body if it $does",
    async ({ authorize, status }) => {
      const clock = createManualClock();
      const calls: PortCall[] = [];
      const backend = interceptBackend(createMemoryBackend(), (call, proceed) => {
        calls.push(call);
        return proceed();
      });
      const service = createOrderService({ authorize, backend, runtime: { clock } });
      let read = false;
      const body = async (): Promise<Uint8Array> => {
        read = true;
        return new Uint8Array();
      };
      const answering = service.handle({ ...toHttpRequest(submission()), body });
      await clock.advance(5_000);
      expect((await answering).status).toBe(status);
      expect(read).toBe(false);
      expect(calls).toEqual([]);
    },
  );

  const failures: readonly {
    readonly what: string;
    readonly authorize: Authorize;
    readonly says: string;
    readonly cause?: unknown;
  }[] = [
    {
      what: "that throws",
      authorize: () => {
        throw OUTAGE;
      },
      says: "`authorize` threw",
      cause: OUTAGE,
    },
    {
      what: "whose promise rejects",
      authorize: () => Promise.reject(OUTAGE),
      says: "`authorize` threw",
      cause: OUTAGE,
    },
    { what: "that returns no principal", authorize: () => true as never, says: "returned no principal" },
    { what: "that returns no id", authorize: () => ({ name: "a" }) as never, says: "`id`" },
    ...[
      { what: "an empty id", id: "", says: "`id` has 0 characters" },
      { what: "an id with NUL", id: "canary\0", says: "`id` contains NUL" },
      { what: "a long id", id: "canary".repeat(50), says: "`id` has 300 characters" },
      { what: "a broken id", id: "canary\udc00", says: "`id` contains a lone surrogate" },
    ].map(({ what, id, says }) => ({
      what: `that returns ${what}, although its tenant is valid`,
      authorize: () => ({ id, tenant: "a" }),
      says,
    })),
    {
      what: "that returns a tenant with NUL",
      authorize: () => ({ id: "a", tenant: "canary\0" }),
      says: "contains NUL",
    },
    {
      what: "that returns a long tenant",
      authorize: () => ({ id: "a", tenant: "canary".repeat(50) }),
      says: "has 300 characters",
    },
    {
      what: "that returns a broken tenant",
      authorize: () => ({ id: "a", tenant: "canary\udc00" }),
      says: "a lone surrogate",
    },
    { what: "that takes too long", authorize: () => new Promise(() => {}), says: "within 5000 ms" },
  ];

  it.each(failures)("$what is reported with its cause and a fix", async ({ authorize, says, cause }) => {
    const clock = createManualClock();
    const events: ServiceEvent[] = [];
    const service = createOrderService({
      authorize,
      backend: createMemoryBackend({ clock }),
      runtime: { clock },
      observe: (event) => events.push(event),
    });
    const answering = service.handle(toHttpRequest(submission()));
    await clock.advance(5_000);
    const { body } = await answering;
    expect(events).toMatchObject([
      { event: "request.refused", status: 503, code: "AUTHORIZATION_UNAVAILABLE" },
    ]);
    const { message, cause: reported } = (events[0] as { readonly error: Error }).error;
    expect(message).toContain(says);
    expect(message).toContain("throw unauthenticated()");
    expect(message).not.toContain("canary");
    expect(reported).toBe(cause);
    expect(JSON.parse(String(body)).detail).toBe(
      "The request could not be authorized at the moment. Try again later.",
    );
  });

  it("has no effect if it resolves after the timeout", async () => {
    const clock = createManualClock();
    let allow: (principal: { id: string }) => void = () => {};
    const authorize = (): Promise<{ id: string }> =>
      new Promise((resolve) => {
        allow = resolve;
      });
    const orders = await mountOrders(createPlainHarness(), { authorize, runtime: { clock } });
    const answering = orders.send(submission());
    await clock.advance(5_000);
    expect((await answering).status).toBe(503);
    allow({ id: "a" });
    await clock.advance(1);
    expect(await orders.recorded()).toEqual([]);
  });
});

describe("S9: an admit hook", () => {
  it("times out with 503 if it never resolves", async () => {
    const clock = createManualClock();
    const admit = (): Promise<undefined> => new Promise(() => {});
    const orders = await mountOrders(createPlainHarness(), { admit, runtime: { clock } });
    let status: number | undefined;
    void orders.send(submission()).then((reply) => {
      status = reply.status;
    });
    await clock.advance(120_000);
    expect(status).toBe(503);
    expect(await orders.recorded()).toEqual([]);
  });

  it("refuses the request if it throws", async () => {
    const admit = (): never => {
      throw new Error("no answer from the counter");
    };
    const orders = await mountOrders(createPlainHarness(), { admit });
    expect((await orders.send(submission())).status).toBe(500);
    expect(await orders.recorded()).toEqual([]);
  });
});

describe("S24: the comparison of credentials", () => {
  const token = "0123456789abcdef";
  const stepsFor = (credential: string): number => {
    const { text, count } = countedText(credential);
    equalInConstantTime(token, text);
    return count.steps;
  };

  it("takes the same number of steps wherever the first difference is", () => {
    const wrong = [`x${token.slice(1)}`, `${token.slice(0, 8)}x${token.slice(9)}`, `${token.slice(0, -1)}x`];
    expect(wrong.map(stepsFor)).toEqual(wrong.map(() => stepsFor(token)));
    expect(wrong.map((credential) => equalInConstantTime(token, credential))).toEqual([false, false, false]);
    expect(equalInConstantTime(token, token)).toBe(true);
  });

  it("fails if one is a prefix of the other", () => {
    for (const [a, b] of [
      [token, token.slice(0, -1)],
      [token.slice(0, -1), token],
      [token, ""],
      ["", token],
    ] as const)
      expect(equalInConstantTime(a, b)).toBe(false);
  });

  it("finds the principal of each credential", async () => {
    const authorize = bearer({ first: "1", second: "2", third: "3" });
    const ask = (value: string): unknown =>
      authorize({ method: "GET", path: "/", header: () => value }, { action: "read", params: {} });
    expect(["first", "second", "third", "fourth"].map((name) => ask(`Bearer ${name}`))).toEqual([
      { id: "1" },
      { id: "2" },
      { id: "3" },
      undefined,
    ]);
  });
});
