import { readFile } from "node:fs/promises";
import { createWorker, isAsyncReplyError, type RunSummary } from "async-request-reply";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { createStage, exportsOf, SECRET, type WebhookStage } from "../../support/webhooks/stage.js";
import { announce } from "../stage.js";
import { startDnsServer } from "./dns-server.js";

const { promises: dns } = process.getBuiltinModule("node:dns");
const { promises: fs } = process.getBuiltinModule("node:fs");

let stage: WebhookStage;
let lookup: MockInstance<typeof dns.lookup>;
let endpoint: string;
beforeEach(async () => {
  lookup = vi.spyOn(dns, "lookup").mockRejectedValue(new Error("The system was asked."));
  stage = await createStage({
    endpoint: () => ({ url: endpoint, secrets: [SECRET] }),
    trustedOrigins: ["http://billing.example:1", "http://billing:1"],
  });
});
afterEach(async () => {
  await Promise.all([stage.close(), stage.clock.advance(60_000)]);
  vi.restoreAllMocks();
});

/** Returns what the errors of the attempts so far say: the detail, or the code of the cause. */
function errors(): string[] {
  return stage.events.flatMap((event) => {
    if (event.event !== "operation.retried" || !isAsyncReplyError(event.error)) return [];
    const { detail, cause } = event.error;
    const { code, address } = (cause ?? {}) as { readonly code?: string; readonly address?: string };
    return detail === "The webhook could not be sent." ? `${code} ${address ?? ""}`.trim() : detail;
  });
}

/** Sends one webhook, and returns what the error of the attempt says. */
async function deliverTo(url: string): Promise<string | undefined> {
  endpoint = url;
  await announce(stage);
  return errors().at(-1);
}

const refused = (host: string, address: string): string =>
  `The receiver ${host} resolves to ${address}, which is not an address of the public internet. ` +
  "For tests and your own servers, add its origin to `trustedOrigins` of createWebhooks.";

describe("a DNS server that does not answer", () => {
  it("neither holds a thread of the process, nor a slot for more than 5 s", async () => {
    const names = await startDnsServer(() => "silence");
    const hosts = ["a.example", "b.example", "c.example", "d.example", "e.example", "f.example"];
    const working: Promise<RunSummary>[] = [];
    for (const host of hosts) {
      endpoint = `https://${host}/`;
      await stage.service.submit(exportsOf, { outcome: "complete" }, { tenant: host });
      const worker = createWorker(stage.service, { exports: () => ({ rows: 1 }) });
      working.push(worker.runUntilIdle());
      await expect.poll(() => names.includes(host)).toBe(true);
    }
    expect(await readFile("/etc/hosts", "utf8")).not.toBe("");
    expect(lookup).not.toHaveBeenCalled();
    expect(errors()).toEqual([]);
    await stage.clock.advance(5_000);
    await Promise.all(working);
    expect(errors()).toEqual(new Array(6).fill("There was no connection to the receiver within 5000 ms."));
  });

  it("fails the look-up if it stays silent for all tries", async () => {
    await startDnsServer(() => "silence");
    expect(await deliverTo("https://a.example/")).toBe("No DNS server answered for a.example in time.");
  });
});

describe("a look-up that failed", () => {
  it("is not repeated for 3 s", async () => {
    const names = await startDnsServer(() => undefined);
    expect(await deliverTo("https://a.example/")).toBe("ENOTFOUND");
    const queries = names.length;
    expect(await deliverTo("https://a.example./")).toBe("ENOTFOUND");
    await stage.clock.advance(2_999);
    await deliverTo("https://a.example/");
    expect(names).toHaveLength(queries);
    await stage.clock.advance(1);
    await deliverTo("https://a.example/");
    expect(names).toHaveLength(2 * queries);
    expect(errors()).toEqual(new Array(4).fill("ENOTFOUND"));
  });
});

describe("a name", () => {
  it.each(["https://a.example/", "https://a.example./", "https://A.EXAMPLE/"])(
    "is asked for as it is, and every address of the answer is judged: %s",
    async (url) => {
      const names = await startDnsServer(() => ["1.1.1.1", "10.0.0.1"]);
      expect(await deliverTo(url)).toBe(refused(new URL(url).hostname, "10.0.0.1"));
      expect(new Set(names)).toEqual(new Set(["a.example"]));
    },
  );

  it.each(["localhost", "localhost.", "a.localhost", "LOCALHOST"])(
    "of the machine itself leads to loopback without DNS: %s",
    async (host) => {
      const names = await startDnsServer(() => ["1.1.1.1"]);
      const { hostname } = new URL(`https://${host}/`);
      expect(await deliverTo(`https://${host}/`)).toBe(refused(hostname, "127.0.0.1"));
      expect(names).toEqual([]);
    },
  );

  it("that DNS does not know is looked up by the system only if its origin is trusted", async () => {
    await startDnsServer(() => undefined);
    lookup.mockResolvedValue([{ address: "127.0.0.1", family: 4 }] as never);
    expect(await deliverTo("https://billing/")).toBe("ENOTFOUND");
    expect(lookup).not.toHaveBeenCalled();
    await stage.clock.advance(3_000);
    expect(await deliverTo("http://billing:1/")).toBe("ECONNREFUSED 127.0.0.1");
    expect(lookup.mock.calls).toEqual([["billing", { all: true }]]);
  });

  it("of a trusted origin is not looked up by the system if no DNS server answers", async () => {
    const names = await startDnsServer(() => "silence");
    const delivering = deliverTo("http://billing:1/");
    await expect.poll(() => names.length).toBeGreaterThan(0);
    await stage.clock.advance(5_000);
    expect(await delivering).toBe("There was no connection to the receiver within 5000 ms.");
    expect(lookup).not.toHaveBeenCalled();
  });

  it("of a trusted origin leads to any address", async () => {
    await startDnsServer(() => ["127.0.0.1"]);
    expect(await deliverTo("http://billing.example:1/")).toBe("ECONNREFUSED 127.0.0.1");
  });
});

describe("the hosts file", () => {
  let text: string;
  let changes: number;
  let read: MockInstance<typeof fs.readFile>;
  beforeEach(() => {
    changes = 0;
    vi.spyOn(fs, "stat").mockImplementation((() => Promise.resolve({ mtimeMs: changes, size: 1 })) as never);
    read = vi.spyOn(fs, "readFile").mockImplementation((() => Promise.resolve(text)) as never);
  });

  it("comes before DNS, is read once, and again when it has changed", async () => {
    const names = await startDnsServer(() => ["1.1.1.1"]);
    text = "# hosts\n10.0.0.1\tother.example A.example # b.example\r\n::1 a.example";
    expect(await deliverTo("https://a.example/")).toBe(refused("a.example", "10.0.0.1"));
    expect(await deliverTo("https://a.example./")).toBe(refused("a.example.", "10.0.0.1"));
    expect(read).toHaveBeenCalledTimes(1);
    expect(names).toEqual([]);
    text = "10.0.0.2 a.example";
    changes = 1;
    expect(await deliverTo("https://a.example/")).toBe(refused("a.example", "10.0.0.2"));
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("has every address of a name judged", async () => {
    await startDnsServer(() => undefined);
    text = "1.1.1.1 a.example\n::1 a.example";
    expect(await deliverTo("https://a.example/")).toBe(refused("a.example", "::1"));
  });

  it("has no entries if it cannot be read", async () => {
    await startDnsServer(() => ["10.0.0.3"]);
    read.mockRejectedValue(new Error("gone"));
    expect(await deliverTo("https://a.example/")).toBe(refused("a.example", "10.0.0.3"));
  });
});
