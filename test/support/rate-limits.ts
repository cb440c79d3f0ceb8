import { type Admit, bearer, createOrderService } from "async-request-reply";
import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";
import { expect } from "vitest";

/** The recipe of docs/authorization.md. */
function limitedBy(limiter: RateLimiterAbstract): Admit {
  return async (_request, { id, tenant = id }, { action }) => {
    if (action !== "submit") return undefined;
    try {
      await limiter.consume(tenant);
      return undefined;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return { status: 429, retryAfterSeconds: refusal.msBeforeNext / 1_000 };
    }
  };
}

/**
 * Expects that two services share the counts of their limiters, which allow each tenant two submissions in 60 seconds, and that
 * the reply is 500 if the limiter fails.
 */
export async function expectSharedLimit(
  limiters: readonly [RateLimiterAbstract, RateLimiterAbstract],
  failing: RateLimiterAbstract,
): Promise<void> {
  const authorize = bearer({ "token-of-ann": "ann", "token-of-bob": "bob" });
  const services = [...limiters, failing].map((limiter) =>
    createOrderService({ authorize, admit: limitedBy(limiter), observe: false }),
  );
  const submit = async (index: number, caller: string, fields: Readonly<Record<string, string>> = {}) =>
    services[index]?.handle({
      method: "POST",
      path: "/orders",
      headers: { authorization: `Bearer token-of-${caller}`, "content-type": "application/json", ...fields },
      body: '{"itemId":"book","quantity":1}',
    });
  expect((await submit(0, "ann"))?.status).toBe(202);
  expect((await submit(1, "ann"))?.status).toBe(202);
  for (const index of [0, 1]) {
    const refused = await submit(index, "ann");
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(50);
    expect(Number(refused?.headers["retry-after"])).toBeLessThanOrEqual(60);
  }
  // A repetition counts too.
  const key = { "idempotency-key": "a" };
  for (const status of [202, 202, 429]) expect((await submit(1, "bob", key))?.status).toBe(status);
  expect((await submit(2, "bob"))?.status).toBe(500);
  for (const service of services) await service.close();
}
