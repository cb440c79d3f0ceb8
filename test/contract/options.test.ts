import { allowAnonymous, createOrderService, createWorker, defineOrders } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { refusalOf } from "../support/refusal.js";
import { unreadable } from "../support/unreadable.js";

const authorize = allowAnonymous();
const service = createOrderService({ authorize });
const orders = (): void => {};

const durations = {
  retentionMs: (retentionMs: number) => defineOrders({ retentionMs }),
  abandonAfterMs: (abandonAfterMs: number) => createWorker(service, { orders }, { abandonAfterMs }),
};

const HUNDRED_YEARS_MS = 3_155_760_000_000;

describe("a duration that exceeds the range of timers", () => {
  it.each(["retentionMs", "abandonAfterMs"] as const)("may be up to 100 years long: %s", (option) => {
    expect(durations[option](HUNDRED_YEARS_MS)).toBeDefined();
    const longer = HUNDRED_YEARS_MS + 1;
    expect(() => durations[option](longer)).toThrow(
      `Option \`${option}\` is ${longer}. Pass at most ${HUNDRED_YEARS_MS} (100 years).`,
    );
    expect(refusalOf(() => durations[option](Number.MAX_SAFE_INTEGER)).detail).toContain(`\`${option}\``);
  });
});

describe("a bad option that throws when it is converted to a string", () => {
  it.each(unreadable.map(([name]) => name))("is still named in the message: %s", (name) => {
    const value = new Map(unreadable).get(name) as never;
    const { code, detail } = refusalOf(() => createOrderService({ authorize, maxBodyBytes: value }));
    expect([code, detail]).toEqual(["INVALID_OPTION", expect.stringContaining("`maxBodyBytes`")]);
  });
});
