import diagnostics from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { createWorker, type ServiceEvent } from "async-request-reply";
import type { WebhooksOptions } from "async-request-reply/webhooks";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { type Receiver, startReceiver, status } from "../../support/webhooks/receiver.js";
import { createStage, exportsOf, SECRET, type WebhookStage } from "../../support/webhooks/stage.js";

let stage: WebhookStage;
afterEach(async () => {
  // Ends the deliveries in progress.
  await Promise.all([stage.close(), stage.clock.advance(60_000)]);
});

const silent = (): void => {};

/** Counts requests and answers that are on their way, which take real time. */
const onTheWay = { sent: 0, answers: 0, receivers: [] as readonly Receiver[] };
diagnostics.subscribe("http.client.request.start", () => {
  onTheWay.sent += 1;
});
diagnostics.subscribe("http.client.response.finish", () => {
  onTheWay.answers += 1;
});

const sum = (count: (receiver: Receiver) => number): number =>
  onTheWay.receivers.reduce((total, receiver) => total + count(receiver), 0);
const isQuiet = (): boolean =>
  sum(({ received }) => received.length) === onTheWay.sent &&
  sum(({ answered }) => answered()) === onTheWay.answers;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Scene {
  /** Receiver of the tenant `acme`, which accepts connections and never answers. */
  readonly mute: Receiver;
  /** Receiver of all other tenants. */
  readonly healthy: Receiver;
}

/** Starts a worker, of which up to 5 slots deliver, and both receivers. */
async function createScene(options: Partial<WebhooksOptions> = {}): Promise<Scene> {
  const [mute, healthy] = [await startReceiver(), await startReceiver()];
  onTestFinished(async () => {
    await Promise.all([mute.close(), healthy.close()]);
  });
  Object.assign(onTheWay, { sent: 0, answers: 0, receivers: [mute, healthy] });
  mute.answer(...new Array(1_000).fill(silent));
  stage = await createStage({
    endpoint: (tenant) => ({ url: (tenant === "acme" ? mute : healthy).url, secrets: [SECRET] }),
    trustedOrigins: [mute.origin, healthy.origin],
    // Without WebCrypto, a webhook needs only turns of the event loop to get on its way.
    sign: () => "v1,signed",
    ...options,
  });
  await createWorker(stage.service, { exports: () => ({ rows: 1 }) }).start();
  return { mute, healthy };
}

/** Does the same with one receiver for all tenants, which never answers at the path of `acme`. */
async function createSharedOrigin(options: Partial<WebhooksOptions> = {}): Promise<Receiver> {
  let origin = "";
  const endpoint = (tenant: string) => ({ url: `${origin}/${tenant}`, secrets: [SECRET] });
  const { mute } = await createScene({ endpoint, ...options });
  origin = mute.origin;
  mute.recover();
  const answer = (response: ServerResponse): void => {
    if (response.req.url !== "/acme") status(204)(response);
  };
  mute.answer(...new Array(1_000).fill(answer));
  return mute;
}

async function submit(tenant: string, count = 1, webhookUrl?: string): Promise<void> {
  const options = { tenant, ...(webhookUrl === undefined ? {} : { webhookUrl }) };
  for (let done = 0; done < count; done += 1)
    await stage.service.submit(exportsOf, { outcome: "complete" }, options);
}

/** Moves the clock in steps until a condition holds, and returns how far. Seconds. */
async function secondsUntil(holds: () => boolean, step = 0.5): Promise<number> {
  for (let steps = 0; steps < 5_000; steps += 1) {
    for (let turn = 0; turn < 20 || !isQuiet(); turn += 1) {
      if (holds()) return steps * step;
      await nextTurn();
    }
    await stage.clock.advance(step * 1_000);
  }
  throw new Error(`It did not happen within ${5_000 * step} s.`);
}

/** Moves the clock on by this time, in the same steps. */
async function pass(seconds: number): Promise<void> {
  const end = stage.clock.now() + seconds * 1_000;
  await secondsUntil(() => stage.clock.now() >= end);
}

const eventsOf = <Name extends ServiceEvent["event"]>(name: Name) =>
  stage.events.filter((event): event is Extract<ServiceEvent, { event: Name }> => event.event === name);

/** Counts the events with a name, and looks at each only once. */
function countOf(name: ServiceEvent["event"]): () => number {
  let seen = 0;
  let count = 0;
  return () => {
    for (; seen < stage.events.length; seen += 1) if (stage.events[seen]?.event === name) count += 1;
    return count;
  };
}

/** How many attempts each webhook of `acme` has had. */
async function attempts(): Promise<readonly number[]> {
  const request = { tenant: "acme", definition: "webhook.delivery", internal: true, limit: 1_000 };
  return (await stage.backend.operations.list(request)).map(({ attempt }) => attempt);
}

describe("a receiver that accepts connections and never answers", () => {
  it("holds up no webhook of another tenant", async () => {
    const { mute, healthy } = await createScene();
    await submit("acme", 60);
    await secondsUntil(() => mute.received.length === 3);
    await submit("globex");
    expect(await secondsUntil(() => healthy.received.length === 1)).toBeLessThan(5);
    expect(mute.received).toHaveLength(3);
    expect(eventsOf("operation.retried")).toEqual([]);
  });

  it("holds up the other webhooks of its tenant only until it is postponed", async () => {
    const { mute, healthy } = await createScene({ allow: () => true });
    await submit("acme", 60);
    await secondsUntil(() => mute.received.length === 3);
    await submit("acme", 1, healthy.url);
    expect(await secondsUntil(() => healthy.received.length === 1)).toBeLessThan(30);
  });

  it("is postponed for its tenant alone, and others reach the same origin", async () => {
    const mute = await createSharedOrigin();
    await submit("acme", 60);
    await secondsUntil(() => eventsOf("webhook.postponed").length === 1);
    await submit("globex", 60);
    const delivered = (): number => eventsOf("webhook.delivered").length;
    expect(await secondsUntil(() => delivered() === 60)).toBeLessThan(30);
    // Answers to others say nothing about the silent path.
    expect(mute.received.filter(({ path }) => path === "/acme")).toHaveLength(3);
  });

  it("holds up others at its origin only until the first timeout", async () => {
    const mute = await createSharedOrigin({ concurrency: 4 });
    await submit("acme", 60);
    // The first two have timed out, and the next one is on its way.
    await secondsUntil(() => mute.received.length === 3);
    await submit("globex", 10);
    expect(await secondsUntil(() => eventsOf("webhook.delivered").length === 10)).toBeLessThan(10);
    expect(eventsOf("webhook.postponed")).toEqual([]);
  });

  it("gets nothing more after the worker has stopped, and takes no attempt from those that waited", async () => {
    const { mute } = await createScene();
    await submit("acme", 5);
    await secondsUntil(() => mute.received.length === 3);
    const stopped = stage.service.close();
    await pass(30);
    await stopped;
    expect(mute.received).toHaveLength(3);
    expect(await attempts()).toEqual([0, 0, 0, 0, 0]);
  });

  it("leaves a slot even if many tenants chose it", async () => {
    const { mute, healthy } = await createScene({ allow: () => true });
    for (let tenant = 0; tenant < 20; tenant += 1) await submit(`tenant-${tenant}`, 1, mute.url);
    await secondsUntil(() => mute.received.length === 3);
    await submit("globex");
    expect(await secondsUntil(() => healthy.received.length === 1)).toBeLessThan(5);
    expect(mute.received).toHaveLength(3);
  });

  it("is postponed after three timeouts, which is reported once and costs no delivery an attempt", async () => {
    const { mute } = await createScene();
    await submit("acme", 60);
    await secondsUntil(() => mute.received.length === 3);
    await secondsUntil(() => eventsOf("webhook.postponed").length === 1);
    expect(eventsOf("webhook.postponed")).toEqual([
      { event: "webhook.postponed", origin: mute.origin, tenant: "acme", delayMs: 60_000 },
    ]);
    const released = eventsOf("operation.released").length;
    await pass(59);
    expect(mute.received).toHaveLength(3);
    expect(eventsOf("webhook.postponed")).toHaveLength(1);
    // Each of them came back at most once during the period.
    expect(eventsOf("operation.released").length - released).toBeLessThanOrEqual(60);
    expect((await attempts()).toSorted()).toEqual([...new Array(57).fill(0), 1, 1, 1]);
  });

  it("gets one webhook after the period, and is postponed for twice as long if that times out too", async () => {
    const { mute } = await createScene();
    await submit("acme", 60);
    await secondsUntil(() => eventsOf("webhook.postponed").length === 1);
    await secondsUntil(() => mute.received.length > 3);
    await pass(10);
    expect(mute.received).toHaveLength(4);
    await secondsUntil(() => eventsOf("webhook.postponed").length === 2);
    expect(eventsOf("webhook.postponed").map(({ delayMs }) => delayMs)).toEqual([60_000, 120_000]);
  });

  it("gets every webhook once it answers again", async () => {
    const { mute } = await createScene();
    await submit("acme", 60);
    await secondsUntil(() => eventsOf("webhook.postponed").length === 1);
    mute.recover();
    await secondsUntil(() => eventsOf("webhook.delivered").length === 60);
    expect(eventsOf("webhook.postponed")).toHaveLength(1);
    expect(eventsOf("webhook.failed")).toEqual([]);
  });

  it("fails a delivery that would be postponed for longer than its operation is kept", async () => {
    await createScene();
    await submit("acme", 30);
    const failed = countOf("webhook.failed");
    await secondsUntil(() => failed() === 30, 300);
    const details = eventsOf("webhook.failed").map(({ error }) => (error as { detail: string }).detail);
    expect(details).toContain("The receiver timed out repeatedly. No attempt is left.");
  });
});
