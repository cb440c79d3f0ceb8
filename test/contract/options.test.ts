import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  defineOrders,
  isAsyncReplyError,
} from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import { describe, expect, it } from "vitest";
import { unreadable } from "../support/unreadable.js";

const authorize = allowAnonymous();
const service = createOrderService({ authorize });
const orders = (): void => {};
const pool = { connect: (): void => {} };

/** Invalid limits and durations. Each would disable the limit or make it 0. */
const badNumbers = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "1mb", "10", null, {}];

const numbers: Readonly<Record<string, (value: never) => unknown>> = {
  maxBodyBytes: (maxBodyBytes) => createOrderService({ authorize, maxBodyBytes }),
  maxDepth: (maxDepth) => createOrderService({ authorize, maxDepth }),
  bodyTimeoutMs: (bodyTimeoutMs) => createOrderService({ authorize, bodyTimeoutMs }),
  authorizeTimeoutMs: (authorizeTimeoutMs) => createOrderService({ authorize, authorizeTimeoutMs }),
  recordTimeoutMs: (recordTimeoutMs) => createOrderService({ authorize, recordTimeoutMs }),
  createTimeoutMs: (createTimeoutMs) => createOrderService({ authorize, createTimeoutMs }),
  "leaseMs of a service": (leaseMs) => createOrderService({ authorize, leaseMs }),
  "maxResultBytes of a service": (maxResultBytes) => createOrderService({ authorize, maxResultBytes }),
  leaseMs: (leaseMs) => createWorker(service, { orders }, { leaseMs }),
  concurrency: (concurrency) => createWorker(service, { orders }, { concurrency }),
  maxAttempts: (maxAttempts) => createWorker(service, { orders }, { maxAttempts }),
  attemptTimeoutMs: (attemptTimeoutMs) => createWorker(service, { orders }, { attemptTimeoutMs }),
  maxResultBytes: (maxResultBytes) => createWorker(service, { orders }, { maxResultBytes }),
  sweepIntervalMs: (sweepIntervalMs) => createWorker(service, { orders }, { sweepIntervalMs }),
  drainTimeoutMs: (drainTimeoutMs) => createWorker(service, { orders }, { drainTimeoutMs }),
  retentionMs: (retentionMs) => defineOrders({ retentionMs }),
  abandonAfterMs: (abandonAfterMs) => createWorker(service, { orders }, { abandonAfterMs }),
  "backoff.baseMs": (baseMs) => createWorker(service, { orders }, { backoff: { baseMs } }),
  "backoff.maxMs": (maxMs) => createWorker(service, { orders }, { backoff: { maxMs } }),
  maxOperations: (maxOperations) => createMemoryBackend({ maxOperations }),
  pollIntervalMs: (pollIntervalMs) => createPostgresBackend({ pool, pollIntervalMs }),
  statementTimeoutMs: (statementTimeoutMs) => createPostgresBackend({ pool, statementTimeoutMs }),
  idleTransactionTimeoutMs: (idleTransactionTimeoutMs) =>
    createPostgresBackend({ pool, idleTransactionTimeoutMs }),
  maxBatch: (maxBatch) => createPostgresBackend({ pool, maxBatch }),
  maxInFlight: (maxInFlight) => createPostgresBackend({ pool, maxInFlight }),
  maxWaiting: (maxWaiting) => createPostgresBackend({ pool, maxWaiting }),
  maxWaitingBytes: (maxWaitingBytes) => createPostgresBackend({ pool, maxWaitingBytes }),
};

const HUNDRED_YEARS_MS = 3_155_760_000_000;

describe("the retention of a definition", () => {
  it("is 24 hours by default", () => {
    expect(defineOrders().retentionMs).toBe(86_400_000);
    expect(defineOrders({ retentionMs: 1 }).retentionMs).toBe(1);
  });
});

describe("a duration that exceeds the range of timers", () => {
  it.each(["retentionMs", "abandonAfterMs"] as const)("may be up to 100 years long: %s", (option) => {
    expect(numbers[option]?.(HUNDRED_YEARS_MS as never)).toBeDefined();
    const longer = HUNDRED_YEARS_MS + 1;
    expect(() => numbers[option]?.(longer as never)).toThrow(
      `Option \`${option}\` is ${longer}. Pass at most ${HUNDRED_YEARS_MS} (100 years).`,
    );
    expectInvalid(option, () => numbers[option]?.(Number.MAX_SAFE_INTEGER as never));
  });
});

describe("a bad option throws at construction and is named in the message", () => {
  for (const [option, make] of Object.entries(numbers)) {
    it.each(badNumbers)(`${option}: %s`, (value) =>
      expectInvalid(option.split(" ")[0] ?? "", () => make(value as never)),
    );
  }
});

describe("a bad option that throws when it is converted to a string", () => {
  it.each(unreadable.map(([name]) => name))("is still named in the message: %s", (name) => {
    const value = new Map(unreadable).get(name) as never;
    expectInvalid("maxBodyBytes", () => createOrderService({ authorize, maxBodyBytes: value }));
  });
});

function expectInvalid(option: string, make: () => unknown): void {
  try {
    make();
  } catch (error) {
    expect(isAsyncReplyError(error) && error.code).toBe("INVALID_OPTION");
    expect((error as Error).message).toContain(`\`${option}\``);
    return;
  }
  expect.unreachable("nothing was thrown");
}
