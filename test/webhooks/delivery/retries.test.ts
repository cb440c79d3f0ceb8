import type { ServerResponse } from "node:http";
import { isAsyncReplyError, permanentFailure } from "async-request-reply";
import { afterEach, describe, expect, it } from "vitest";
import { claimOne } from "../../support/claims.js";
import { status } from "../../support/webhooks/receiver.js";
import { createStage, SECRET, type WebhookStage } from "../../support/webhooks/stage.js";
import { announce } from "../stage.js";

const HOUR_MS = 3_600_000;

let stage: WebhookStage;
afterEach(() => stage.close());

const down = status(503);
const busyFor = (retryAfter: string) => status(429, { "retry-after": retryAfter });

/** Sends a webhook to a receiver that gives these answers first. Returns the id of the operation. */
async function announceTo(...answers: readonly ((response: ServerResponse) => void)[]): Promise<string> {
  stage = await createStage();
  stage.receiver.answer(...answers);
  return announce(stage);
}

/** Times of the attempts since the first one. Seconds. */
function attemptTimes(): number[] {
  const times = stage.receiver.received.map(({ headers }) => Number(headers["webhook-timestamp"]));
  return times.map((time) => time - (times[0] ?? 0));
}

const retried = (): unknown[] => stage.events.filter(({ event }) => event === "operation.retried");

/** Final events of deliveries, with what their errors say. */
function outcomes(): string[] {
  return stage.events.flatMap((event) => {
    if (event.event === "webhook.delivered") return [`${event.event} ${event.status} at ${event.attempt}`];
    if (event.event !== "webhook.failed") return [];
    const detail = isAsyncReplyError(event.error) ? event.error.detail : "";
    return [`${event.event} at ${event.attempt}: ${detail}`];
  });
}

describe("a receiver that is down", () => {
  it("for three attempts gets the fourth, under the same id", async () => {
    const operationId = await announceTo(down, down, down);
    await stage.workFor(HOUR_MS, 720);
    expect(attemptTimes()).toEqual([0, 5, 305, 2_105]);
    expect(new Set(stage.receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(outcomes()).toEqual(["webhook.delivered 204 at 4"]);
    const deliveryId = stage.receiver.received[0]?.headers["webhook-id"];
    const about = { deliveryId, operationId, definition: "exports", tenant: "acme" };
    expect(stage.events.find(({ event }) => event === "webhook.delivered")).toMatchObject(about);
  });

  it.each([
    { random: 0, hours: 14.1 },
    { random: 0.5, hours: 17.6 },
    { random: 1 - 2 ** -30, hours: 21.1 },
  ])("gets 7 attempts in the 24 h that an operation is kept: $hours h", async ({ random, hours }) => {
    stage = await createStage({}, { random: () => random });
    stage.receiver.answer(...new Array(20).fill(down));
    await announce(stage);
    await stage.workFor(23.9 * HOUR_MS, 400);
    expect(attemptTimes()).toHaveLength(7);
    expect((attemptTimes().at(-1) ?? 0) / 3_600).toBeCloseTo(hours, 0);
    expect(outcomes()).toEqual(["webhook.failed at 7: The receiver answered 503. No attempt is left."]);
  });

  it("is asked again when its `Retry-After` says", async () => {
    await announceTo(busyFor("60"), busyFor("1"));
    await stage.workFor(HOUR_MS, 720);
    expect(attemptTimes()).toEqual([0, 60, 360]);
  });

  it.each([
    ["72000", 72_000],
    ["Thu, 01 Jan 2026 20:00:00 GMT", 72_000],
    ["Thursday, 01-Jan-26 20:00:00 GMT", 72_000],
    ["Thu Jan  1 20:00:00 2026 GMT", 72_000],
    // The operation is kept for one second more.
    ["86399", 86_399],
  ])("is asked again when a long `Retry-After` says: %s", async (value, seconds) => {
    await announceTo(busyFor(value));
    expect(retried()).toMatchObject([{ delayMs: seconds * 1_000 }]);
    await stage.clock.advance(seconds * 1_000 - 1);
    await stage.work();
    expect(attemptTimes()).toEqual([0]);
    await stage.clock.advance(1);
    await stage.work();
    expect(outcomes()).toEqual(["webhook.delivered 204 at 2"]);
  });

  it.each([
    "86400",
    "172800",
    "9999999999",
    "9".repeat(400),
    "Fri, 31 Dec 9999 23:59:59 GMT",
    "Saturday, 03-Jan-26 00:00:00 GMT",
  ])("gets no other attempt if its `Retry-After` is longer than the operation is kept: %s", async (value) => {
    await announceTo(busyFor(value));
    const detail = "The receiver answered 429. It asked to wait for longer than the operation is kept.";
    expect(outcomes()).toEqual([`webhook.failed at 1: ${detail}`]);
    expect(retried()).toEqual([]);
  });

  it.each([
    "-1",
    "1.5",
    "1e9",
    "soon",
    "in 9999",
    "Fri, 31 Foo 9999 23:59:59 GMT",
    "Wed, 31 Dec 2025 23:59:59 GMT",
  ])("is asked again as usual if its `Retry-After` is malformed or has passed: %s", async (value) => {
    await announceTo(busyFor(value));
    expect(retried()).toMatchObject([{ delayMs: 5_000 }]);
  });

  it("because nothing listens there is asked again", async () => {
    stage = await createStage({
      endpoint: () => ({ url: "http://127.0.0.1:9/", secrets: [SECRET] }),
      trustedOrigins: ["http://127.0.0.1:9"],
    });
    await announce(stage);
    expect(retried()).toMatchObject([{ definition: "webhook.delivery", delayMs: 5_000 }]);
  });
});

describe("a delivery that ends without success", () => {
  const deliveryId = async (): Promise<string> => {
    const listed = await stage.backend.operations.list({ internal: true, limit: 9 });
    return listed.find(({ definition }) => definition === "webhook.delivery")?.id ?? "";
  };

  it("is reported if every attempt was lost because its worker died", async () => {
    stage = await createStage({}, { deliver: false });
    const operationId = await announce(stage);
    const id = await deliveryId();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const lease = { token: `token-of-a-worker-that-dies-${attempt}`, leaseMs: 30_000 };
      await claimOne(stage.backend.operations, id, lease);
      await stage.clock.advance(30_000);
    }
    await stage.workAsDeliverer(60_000);
    expect(outcomes()).toEqual(["webhook.failed at 11: The last attempt was lost, and no attempt is left."]);
    const about = { deliveryId: id, operationId, definition: "exports", tenant: "acme" };
    expect(stage.events.find(({ event }) => event === "webhook.failed")).toMatchObject(about);
  });

  it("is reported if the operation is no longer kept", async () => {
    stage = await createStage({}, { deliver: false });
    const operationId = await announce(stage);
    Object.assign(stage.backend.operations, { get: () => Promise.resolve(undefined) });
    await stage.workAsDeliverer(60_000);
    expect(outcomes()).toEqual(["webhook.failed at 1: The operation that ended is no longer kept."]);
    const failed = stage.events.find(({ event }) => event === "webhook.failed");
    expect(failed).toMatchObject({ operationId, tenant: "acme" });
    expect(failed).not.toHaveProperty("definition");
  });

  it("is reported only once the failure is stored", async () => {
    stage = await createStage();
    stage.receiver.answer(status(410));
    const { operations } = stage.backend;
    const settle = operations.settle.bind(operations);
    await stage.submit();
    const before: string[][] = [];
    Object.assign(operations, {
      settle: async (...given: Parameters<typeof settle>) => {
        before.push(outcomes());
        return settle(...given);
      },
    });
    await stage.work();
    expect(before).toEqual([[], []]);
    expect(outcomes()).toEqual(["webhook.failed at 1: The receiver answered 410."]);
  });
});

describe("an answer", () => {
  it.each([200, 202, 204, 299])("%i accepts the webhook", async (code) => {
    await announceTo(status(code));
    expect(outcomes()).toEqual([`webhook.delivered ${code} at 1`]);
  });

  it.each([301, 302, 303, 307, 308, 304, 410])("%i ends the delivery", async (code) => {
    const redirect = (response: ServerResponse): void =>
      status(code, { location: `${stage.receiver.origin}/elsewhere` })(response);
    await announceTo(redirect);
    await stage.workFor(HOUR_MS);
    expect(stage.receiver.received.map(({ path }) => path)).toEqual(["/hooks"]);
    expect(outcomes()).toEqual([`webhook.failed at 1: The receiver answered ${code}.`]);
  });

  it.each([400, 401, 404, 500])("%i is retried", async (code) => {
    await announceTo(status(code));
    await stage.workFor(10_000);
    expect(outcomes()).toEqual(["webhook.delivered 204 at 2"]);
  });

  it("with an endless body counts as soon as its header is there", async () => {
    let closed = false;
    await announceTo((response) => {
      const timer = setInterval(() => response.write("x".repeat(1_000)), 1);
      response.once("close", () => {
        closed = true;
        clearInterval(timer);
      });
      response.writeHead(200);
    });
    expect(outcomes()).toEqual(["webhook.delivered 200 at 1"]);
    await expect.poll(() => closed).toBe(true);
  });

  it("that does not come within 15 s is not waited for, and its connection is closed", async () => {
    stage = await createStage();
    let closed = false;
    stage.receiver.answer((response) => {
      response.once("close", () => {
        closed = true;
      });
    });
    await stage.submit();
    const working = stage.work();
    await expect.poll(() => stage.receiver.received.length).toBe(1);
    await stage.clock.advance(15_000);
    await working;
    const detail = "The receiver did not answer within 15000 ms.";
    expect(retried()).toMatchObject([{ error: { detail }, delayMs: 5_000 }]);
    await expect.poll(() => closed).toBe(true);
  });
});

describe("an `endpoint` that throws", () => {
  it("delays the delivery", async () => {
    let broken = true;
    stage = await createStage({
      endpoint: () => {
        if (broken) throw new Error("The directory is down.");
        return { url: stage.receiver.url, secrets: [SECRET] };
      },
    });
    await announce(stage);
    broken = false;
    await stage.workFor(10_000);
    expect(outcomes()).toEqual(["webhook.delivered 204 at 2"]);
  });

  it("permanentFailure ends the delivery", async () => {
    stage = await createStage({ endpoint: () => Promise.reject(permanentFailure("The tenant has left.")) });
    await announce(stage);
    expect(outcomes()).toEqual(["webhook.failed at 1: The tenant has left."]);
  });
});

describe("secrets", () => {
  it("appear neither in events nor in the store, even if one is malformed", async () => {
    const secrets = [SECRET];
    stage = await createStage({ endpoint: () => ({ url: stage.receiver.url, secrets }) });
    await announce(stage);
    secrets.push("whsec_c2VjcmV0");
    await announce(stage);
    const listed = await stage.backend.operations.list({ internal: true, limit: 9 });
    const stored = await stage.backend.operations.getMany(listed.map(({ id }) => id));
    const shown = (value: unknown): string =>
      JSON.stringify(value, (_, part: unknown) =>
        part instanceof Error ? `${part.stack} ${part.cause}` : part,
      );
    expect(shown(stage.events)).toContain("malformed secret");
    for (const secret of secrets) expect(shown([stage.events, stored])).not.toContain(secret.slice(6));
  });
});
