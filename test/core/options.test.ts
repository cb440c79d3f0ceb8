import {
  allowAnonymous,
  apiKey,
  bearer,
  createOrderService,
  createService,
  createWorker,
  defineOperation,
  defineOrders,
  isAsyncReplyError,
} from "async-request-reply";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const authorize = allowAnonymous();
const service = createOrderService({ authorize });
const orders = (): void => {};

/** What no limit and no duration may be: each would switch the limit off, or end it at once. */
const badNumbers = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "1mb", "10", null, {}];

const numbers: Readonly<Record<string, (value: never) => unknown>> = {
  maxBodyBytes: (maxBodyBytes) => createOrderService({ authorize, maxBodyBytes }),
  maxDepth: (maxDepth) => createOrderService({ authorize, maxDepth }),
  bodyTimeoutMs: (bodyTimeoutMs) => createOrderService({ authorize, bodyTimeoutMs }),
  authorizeTimeoutMs: (authorizeTimeoutMs) => createOrderService({ authorize, authorizeTimeoutMs }),
  recordTimeoutMs: (recordTimeoutMs) => createOrderService({ authorize, recordTimeoutMs }),
  createTimeoutMs: (createTimeoutMs) => createOrderService({ authorize, createTimeoutMs }),
  leaseMs: (leaseMs) => createWorker(service, { orders }, { leaseMs }),
  concurrency: (concurrency) => createWorker(service, { orders }, { concurrency }),
  maxAttempts: (maxAttempts) => createWorker(service, { orders }, { maxAttempts }),
  attemptTimeoutMs: (attemptTimeoutMs) => createWorker(service, { orders }, { attemptTimeoutMs }),
  maxResultBytes: (maxResultBytes) => createWorker(service, { orders }, { maxResultBytes }),
  sweepIntervalMs: (sweepIntervalMs) => createWorker(service, { orders }, { sweepIntervalMs }),
  drainTimeoutMs: (drainTimeoutMs) => createWorker(service, { orders }, { drainTimeoutMs }),
  retentionMs: (retentionMs) => createWorker(service, { orders }, { retentionMs }),
  purgeGraceMs: (purgeGraceMs) => createWorker(service, { orders }, { purgeGraceMs }),
  abandonAfterMs: (abandonAfterMs) => createWorker(service, { orders }, { abandonAfterMs }),
  "backoff.baseMs": (baseMs) => createWorker(service, { orders }, { backoff: { baseMs } }),
  "backoff.maxMs": (maxMs) => createWorker(service, { orders }, { backoff: { maxMs } }),
};

const input = z.object({});
const one = defineOperation({ name: "one", path: "/one", input });

const others: Readonly<Record<string, readonly [option: string, make: () => unknown]>> = {
  "no authorize hook": ["authorize", () => createOrderService({} as never)],
  "an authorize hook that is no function": [
    "authorize",
    () => createOrderService({ authorize: "me" as never }),
  ],
  "a root that no element can have": [
    "rootName",
    () => defineOperation({ name: "reports", rootName: "2 nd", path: "/reports", input: z.object({}) }),
  ],
  "a challenge that no reply can carry": [
    "authorize.challenge",
    () => createOrderService({ authorize: Object.assign(() => undefined, { challenge: "Bearer\r\na: b" }) }),
  ],
  "an admit hook that is no function": ["admit", () => createOrderService({ authorize, admit: 3 as never })],
  "a base path with a slash at its end": [
    "basePath",
    () => createOrderService({ authorize, basePath: "/api/" }),
  ],
  "a base path that is no path": ["basePath", () => createOrderService({ authorize, basePath: "api" })],
  "a depth that could exhaust the stack": [
    "maxDepth",
    () => createOrderService({ authorize, maxDepth: 1_001 }),
  ],
  "a record time that a purge could overtake": [
    "recordTimeoutMs",
    () => createOrderService({ authorize, recordTimeoutMs: 30_001 }),
  ],
  "a duration that timers cannot count": [
    "leaseMs",
    () => createOrderService({ authorize, leaseMs: 2 ** 31 }),
  ],
  "no definitions": ["operations", () => createService({ authorize, operations: [] })],
  "two definitions of one name": [
    "operations",
    () => createService({ authorize, operations: [one, { ...one, path: "/two" }] }),
  ],
  "two definitions of one path": [
    "operations",
    () => createService({ authorize, operations: [one, { ...one, name: "two" }] }),
  ],
  "a definition with a bad name": ["name", () => defineOperation({ name: "Bad Name", path: "/one", input })],
  "a definition with a bad path": ["path", () => defineOperation({ name: "one", path: "one", input })],
  "a definition on the path of the status endpoint": [
    "path",
    () => defineOperation({ name: "one", path: "/operations", input }),
  ],
  "a definition without a validator": [
    "input",
    () => defineOperation({ name: "one", path: "/one", input: {} as never }),
  ],
  "a result schema that is none": [
    "result",
    () => defineOperation({ name: "one", path: "/one", input, result: 1 as never }),
  ],
  "a create that is no function": ["create", () => defineOrders({ create: true as never })],
  "an unknown idempotencyKey": ["idempotencyKey", () => defineOrders({ idempotencyKey: "never" as never })],
  "no processor": ["processors", () => createWorker(service, {})],
  "a processor of no definition": ["processors", () => createWorker(service, { oders: orders } as never)],
  "a processor that is no function": [
    "processors.orders",
    () => createWorker(service, { orders: 1 as never }),
  ],
  "a purge grace that submissions could outlive": [
    "purgeGraceMs",
    () => createWorker(service, { orders }, { purgeGraceMs: 59_999 }),
  ],
  "a longest delay below the first": [
    "backoff.maxMs",
    () => createWorker(service, { orders }, { backoff: { maxMs: 10 } }),
  ],
  "no known tokens": ["bearer", () => bearer({})],
  "tokens that are neither known nor verified": ["bearer", () => bearer(undefined as never)],
  "an API key in a field with no name": ["header", () => apiKey({ k: "me" }, { header: "" })],
};

describe("a bad option throws at construction and is named", () => {
  for (const [option, make] of Object.entries(numbers)) {
    it.each(badNumbers)(`${option}: %s`, (value) => expectInvalid(option, () => make(value as never)));
  }
  it.each(Object.entries(others))("%s", (_, [option, make]) => expectInvalid(option, make));
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
