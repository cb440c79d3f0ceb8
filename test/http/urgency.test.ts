import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  defineOperation,
  defineOrders,
  type HttpRequest,
  type OrderServiceOptions,
} from "async-request-reply";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonPost, openService } from "../service/open-service.js";

const ANY = { from: 0, to: 7 };
const ORDER = jsonPost("/orders", { itemId: "pen", quantity: 1 });

/** Creates an order service with these options. */
function open(options: Partial<OrderServiceOptions>) {
  const backend = createMemoryBackend();
  const service = createOrderService({ ...options, backend, authorize: allowAnonymous(), observe: false });
  const post = async (headers: HttpRequest["headers"]): Promise<number | undefined> => {
    const { status, headers: replied } = await service.handle({ ...ORDER, headers });
    expect([201, 202]).toContain(status);
    const monitor = replied["operation-location"] ?? replied.location;
    const [stored] = await backend.operations.getMany([monitor?.split("/").pop() ?? ""]);
    return stored?.urgency;
  };
  return {
    post,
    /** Submits an order with these lines of `Priority`, and returns its stored urgency. Absent is 3. */
    prioritized: (...lines: string[]) =>
      post(["content-type", "application/json", ...lines.flatMap((line) => ["priority", line])]),
  };
}

describe("the urgency of a definition", () => {
  it.each([0, 7])("is that of its operations: %i", async (urgency) => {
    expect(await open({ urgency }).prioritized()).toBe(urgency);
  });

  it("is 3 by default, which no store has to keep", async () => {
    expect(defineOrders().urgency).toBe(3);
    expect(await open({}).prioritized()).toBeUndefined();
    expect(await open({ urgency: 3 }).prioritized()).toBeUndefined();
  });

  it("is not the client's choice, unless the definition says so", async () => {
    expect(await open({}).prioritized("u=0")).toBeUndefined();
    expect(await open({ urgency: 5 }).prioritized("u=0")).toBe(5);
  });
});

describe("`Priority` of a client that may choose the urgency", () => {
  it.each([
    ["u=0", 0],
    ["u=7", 7],
    ["u=1, i", 1],
    ["i, u=1", 1],
    ["i=?0,u=1", 1],
    ["\tu=1 ", 1],
    ["u=1;a;b=2", 1],
    ["u=01", 1],
    ["u=1, u=2", 2],
    ['a="x,u=5", u=2', 2],
    ["a=(1 2;x), u=2;y", 2],
    ["a=(), u=2", 2],
    ["a=( tok  :aGk=: ), u=2", 2],
    ["*.a-_9=1.5, u=2", 2],
  ])("chooses: %s", async (priority, urgency) => {
    expect(await open({ clientUrgency: ANY }).prioritized(priority)).toBe(urgency);
  });

  it.each([
    ["names none", ["", " ", "i", "a=1", "i;u=1", 'a="u=1"', "au=1"]],
    ["names one that does not exist", ["u=8", "u=-1", "u=99", "u=1, u=8"]],
    ["has another type", ["u", "u=?1", 'u="1"', "u=1.0", "u=(1)", "u=a", "u=:MQ==:"]],
    ["is not a dictionary", ["u=1,", ",u=1", "u=1;", "u=1 i", "u=1,,i", "u=", "u =1", "u= 1", "U=1"]],
    ["has a malformed name or value", ["u=1, I", "1", "u=1, a=(", "é"]],
    ["breaks off", ["u=1, a=(1", "u=1, a=(1 ", "u=1, a=(1(", 'u=1, a="', "u=1, a=-", "u=1, a=:a"]],
  ])("is ignored if it %s", async (_, values) => {
    const { prioritized } = open({ urgency: 5, clientUrgency: ANY });
    for (const value of values) expect([value, await prioritized(value)]).toEqual([value, 5]);
  });

  it("becomes the nearest urgency that the definition allows", async () => {
    const { prioritized } = open({ urgency: 5, clientUrgency: { from: 4, to: 6 } });
    expect(await prioritized("u=0")).toBe(4);
    expect(await prioritized("u=4")).toBe(4);
    expect(await prioritized("u=6")).toBe(6);
    expect(await prioritized("u=7")).toBe(6);
    expect(await prioritized()).toBe(5);
  });

  it("can be repeated, as one list", async () => {
    const { prioritized } = open({ clientUrgency: ANY });
    expect(await prioritized("u=1", "i")).toBe(1);
    expect(await prioritized("u=1", "u=6")).toBe(6);
  });

  it("is found in every kind of header fields", async () => {
    const { post } = open({ clientUrgency: ANY });
    const fields = { "content-type": "application/json", PRIORITY: "u=6" };
    expect(await post(fields)).toBe(6);
    expect(await post(Object.entries(fields))).toBe(6);
    expect(await post(new Headers(fields))).toBe(6);
  });

  it("is read in linear time", async () => {
    const { prioritized } = open({ clientUrgency: ANY });
    const long = `${"a=(1 1),".repeat(100_000)}u=2`;
    const startedAt = performance.now();
    expect(await prioritized(long)).toBe(2);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it("does not make another request of the same key: the first one counts", async () => {
    const { post } = open({ clientUrgency: ANY });
    const keyed = { "content-type": "application/json", "idempotency-key": "k" };
    expect(await post({ ...keyed, priority: "u=6" })).toBe(6);
    expect(await post({ ...keyed, priority: "u=1" })).toBe(6);
    expect(await post(keyed)).toBe(6);
  });

  it("is kept by an order that is created before the reply", async () => {
    const { prioritized } = open({ clientUrgency: ANY, create: () => ({ body: { orderId: "1" } }) });
    expect(await prioritized("u=1")).toBe(1);
  });
});

it("work begins in the order of its urgency", async () => {
  const prints = defineOperation({
    name: "prints",
    path: "/prints",
    input: z.object({ urgency: z.string() }),
    clientUrgency: ANY,
  });
  const { service } = openService([prints]);
  for (const urgency of ["7", "3", "0", "5"])
    await service.handle(jsonPost("/prints", { urgency }, { priority: `u=${urgency}` }));
  const begun: string[] = [];
  const print = ({ urgency }: { readonly urgency: string }): void => void begun.push(urgency);
  await createWorker(service, { prints: print }, { concurrency: 1 }).runUntilIdle();
  expect(begun).toEqual(["0", "3", "5", "7"]);
});
