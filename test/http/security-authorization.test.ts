import { type Authorize, bearer, createMemoryBackend, createOrderService } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { equalInConstantTime } from "../../src/http/credentials.js";
import { interceptBackend, type PortCall } from "../../src/testing/intercept-backend.js";
import { mountOrders, submission } from "../../src/testing/suites/adapter/orders-fixture.js";
import { countedText } from "../counted-text.js";
import { createPlainHarness, toHttpRequest } from "../plain-harness.js";

describe("S3: a hook that does not clearly allow", () => {
  const hooks: Readonly<Record<string, Authorize>> = {
    throws: () => {
      throw new Error("no");
    },
    rejects: () => Promise.reject(new Error("no")),
    "returns nothing": () => undefined,
    "resolves to nothing": async () => null,
    "returns an id that is none": () => ({ id: 7 }) as never,
    hangs: () => new Promise<never>(() => {}),
  };

  it.each(Object.entries(hooks))(
    "records nothing and reads no byte of the body when it %s",
    async (_, authorize) => {
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
      expect([401, 503]).toContain((await answering).status);
      expect(read).toBe(false);
      expect(calls).toEqual([]);
    },
  );

  it("changes nothing any more when it allows too late", async () => {
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

describe("S9: a hook that admits", () => {
  it("holds no request for ever when it never answers", async () => {
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

  it("admits nobody when it throws", async () => {
    const admit = (): never => {
      throw new Error("no answer from the counter");
    };
    const orders = await mountOrders(createPlainHarness(), { admit });
    expect((await orders.send(submission())).status).toBeGreaterThanOrEqual(500);
    expect(await orders.recorded()).toEqual([]);
  });
});

describe("S24: credentials", () => {
  const token = "0123456789abcdef";
  const stepsFor = (credential: string): number => {
    const { text, count } = countedText(credential);
    equalInConstantTime(token, text);
    return count.steps;
  };

  it("are compared in as many steps wherever the first difference lies", () => {
    const wrong = [`x${token.slice(1)}`, `${token.slice(0, 8)}x${token.slice(9)}`, `${token.slice(0, -1)}x`];
    expect(wrong.map(stepsFor)).toEqual(wrong.map(() => stepsFor(token)));
    expect(wrong.map((credential) => equalInConstantTime(token, credential))).toEqual([false, false, false]);
    expect(equalInConstantTime(token, token)).toBe(true);
  });

  it("are different when one is the beginning of the other", () => {
    for (const [a, b] of [
      [token, token.slice(0, -1)],
      [token.slice(0, -1), token],
      [token, ""],
      ["", token],
    ] as const)
      expect(equalInConstantTime(a, b)).toBe(false);
  });

  it("each name their own principal", async () => {
    const authorize = bearer({ first: "1", second: "2", third: "3" });
    const ask = (value: string): unknown =>
      authorize({ method: "GET", path: "/", header: () => value }, { action: "read" });
    expect(["first", "second", "third", "fourth"].map((name) => ask(`Bearer ${name}`))).toEqual([
      { id: "1" },
      { id: "2" },
      { id: "3" },
      undefined,
    ]);
  });
});
