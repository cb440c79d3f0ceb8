import { isDeepStrictEqual } from "node:util";
import {
  AsyncReplyError,
  allowAnonymous,
  apiKey,
  bearer,
  createOrderService,
  createWorker,
  defineOperation,
} from "async-request-reply";
import { afterEach, describe, expect, it } from "vitest";
import { matches } from "../../src/http/message/reply.js";
import { jsonPost, openService } from "../service/open-service.js";
import { mountOrders, request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { anything } from "../support/careless-schema.js";
import { countedText } from "../support/counted-text.js";
import { createPlainHarness } from "../support/plain-harness.js";

const harness = createPlainHarness();

describe("S14: property names of Object.prototype", () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];
  afterEach(() => {
    // No test may have changed the prototype of all objects.
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each(names)("work as keys like any other text: %s", async (name) => {
    const { send, recorded } = await mountOrders(harness);
    const keyed = submission({ fields: { "idempotency-key": name } });
    const first = await send(keyed);
    expect(first.status).toBe(202);
    expect((await send(keyed)).body).toBe(first.body);
    expect((await recorded()).map(({ key }) => key)).toEqual([name]);
  });

  it.each(names)("are not accepted as credentials: %s", async (name) => {
    for (const authorize of [bearer({ token: "a" }), apiKey({ token: "a" })]) {
      const { send } = await mountOrders(harness, { authorize });
      const fields = { authorization: `Bearer ${name}`, "x-api-key": name };
      expect((await send(submission({ fields }))).status).toBe(401);
    }
  });

  it.each(names)("are not accepted as methods, paths or processors: %s", async (name) => {
    const { send } = await mountOrders(harness);
    expect((await send(submission({ method: name }))).status).toBe(405);
    expect((await send(request(name, "/operations/1"))).status).toBe(405);
    expect((await send(submission({ path: `/${name}` }))).status).toBe(404);
    const service = createOrderService({ authorize: allowAnonymous() });
    const processors = JSON.parse(`{"${name}":1}`) as object;
    expect(() => createWorker(service, processors)).toThrow(AsyncReplyError);
  });

  it.each(names)("work as tenants and members like any other text: %s", async (name) => {
    const jobs = defineOperation({ name: "jobs", path: "/jobs", input: anything });
    const { service } = openService([jobs], { authorize: () => ({ id: name }) });
    const body = `{"${name}":{"polluted":1},"a":{"${name}":{"polluted":2}}}`;
    const submit = jsonPost("/jobs", body, { "idempotency-key": "k" });
    const first = await service.handle(submit);
    expect(first.status).toBe(202);
    expect((await service.handle(submit)).body).toBe(first.body);
    const inputs: unknown[] = [];
    await createWorker(service, { jobs: (input) => void inputs.push(input) }).runUntilIdle();
    expect(inputs).toHaveLength(1);
    expect(Object.getPrototypeOf(inputs[0])).toBe(Object.prototype);
    expect(isDeepStrictEqual(inputs[0], JSON.parse(body))).toBe(true);
  });
});

// The tests of the Content-Type, Accept and Idempotency-Key parsers count their own steps.
describe("S15: header fields designed to be slow to parse", () => {
  const hostile = [",", ";", '"', "\\", " ", "\t", "=", "a,", "a;", 'a="', '\\"', "/", "*/*,", "W/"].map(
    (unit) => unit.repeat(Math.ceil(4_096 / unit.length)),
  );

  it("get the same reply as other invalid values", async () => {
    const { send } = await mountOrders(harness);
    const id = "01980000-0000-7000-8000-000000000000";
    for (const value of hostile) {
      const statusWith = async (fields: object) => (await send(submission({ fields: { ...fields } }))).status;
      expect(await statusWith({ "content-type": value })).toBe(415);
      expect(await statusWith({ authorization: `Bearer ${value}` })).toBe(401);
      for (const name of ["accept", "idempotency-key", "content-encoding"])
        expect(await statusWith({ [name]: value })).toBeLessThan(500);
      const read = await send(request("GET", `/operations/${id}`, { "if-none-match": value }));
      expect(read.status).toBe(404);
    }
  });

  it("take a number of steps linear in their length: If-None-Match", () => {
    for (const value of hostile) {
      const { text, count } = countedText(value);
      expect(matches(text, '"tag"')).toBe(false);
      expect(count.steps).toBeLessThan(10 * value.length);
    }
  });
});
