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
import { createPlainHarness, toHttpRequest } from "../support/plain-harness.js";
import { signalOf } from "../support/worker-stage.js";
import { watchedBackend } from "./service-process.js";

const OUTAGE = new Error("connect ECONNREFUSED 10.0.0.7:443");
const fails = (): never => {
  throw OUTAGE;
};

describe("S3: an authorize hook that does not return a principal", () => {
  const hooks: readonly { readonly does: string; readonly authorize: Authorize; readonly status: number }[] =
    [
      { does: "returns nothing", authorize: () => undefined, status: 401 },
      { does: "resolves to nothing", authorize: async () => null, status: 401 },
      { does: "throws", authorize: fails, status: 503 },
      { does: "rejects", authorize: () => Promise.reject(OUTAGE), status: 503 },
      { does: "returns an id that is a number", authorize: () => ({ id: 7 }) as never, status: 503 },
      { does: "hangs", authorize: () => new Promise<never>(() => {}), status: 503 },
    ];

  it.each(hooks)(
    "records nothing and reads no byte of the body if it $does",
    async ({ authorize, status }) => {
      const clock = createManualClock();
      const { backend, calls } = watchedBackend(createMemoryBackend());
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

  it.each<[what: string, says: string, authorize: Authorize, cause?: Error]>([
    ["that throws", "`authorize` threw", fails, OUTAGE],
    ["whose promise rejects", "`authorize` threw", () => Promise.reject(OUTAGE), OUTAGE],
    ["that returns no principal", "returned no principal", () => true as never],
    ["that returns no id", "`id`", () => ({ name: "a" }) as never],
    ...[
      ["an empty id", "`id` has 0 characters", ""],
      ["an id with NUL", "`id` contains NUL", "canary\0"],
      ["a long id", "`id` has 300 characters", "canary".repeat(50)],
      ["a broken id", "`id` contains a lone surrogate", "canary\udc00"],
    ].map(([what, says = "", id = ""]): [string, string, Authorize] => [
      `that returns ${what}, although its tenant is valid`,
      says,
      () => ({ id, tenant: "a" }),
    ]),
    ["that returns a tenant with NUL", "contains NUL", () => ({ id: "a", tenant: "canary\0" })],
    ["that returns a long tenant", "has 300 characters", () => ({ id: "a", tenant: "canary".repeat(50) })],
    ["that returns a broken tenant", "a lone surrogate", () => ({ id: "a", tenant: "canary\udc00" })],
    ["that takes too long", "within 5000 ms", () => new Promise(() => {})],
  ])("%s is reported with its cause and a fix", async (_, says, authorize, cause) => {
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
    const allowed = signalOf<{ id: string }>();
    const options = { authorize: () => allowed.promise, runtime: { clock } };
    const orders = await mountOrders(createPlainHarness(), options);
    const answering = orders.send(submission());
    await clock.advance(5_000);
    expect((await answering).status).toBe(503);
    allowed.resolve({ id: "a" });
    await clock.advance(1);
    expect(await orders.recorded()).toEqual([]);
  });
});

describe("S9: an admit hook", () => {
  it("times out with 503 if it never resolves", async () => {
    const clock = createManualClock();
    const admit = (): Promise<undefined> => new Promise(() => {});
    const orders = await mountOrders(createPlainHarness(), { admit, runtime: { clock } });
    const answering = orders.send(submission());
    await clock.advance(120_000);
    expect((await answering).status).toBe(503);
    expect(await orders.recorded()).toEqual([]);
  });

  it("refuses the request if it throws", async () => {
    const orders = await mountOrders(createPlainHarness(), { admit: fails });
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
