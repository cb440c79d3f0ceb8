import type { RequestOptions } from "node:https";
import { isAsyncReplyError } from "async-request-reply";
import { createWebhooks } from "async-request-reply/webhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { refusalOf } from "../../support/refusal.js";
import { createStage, SECRET, type WebhookStage } from "../../support/webhooks/stage.js";
import { announce } from "../stage.js";
import { PUBLIC, REFUSED } from "./tricks.js";

const dns = process.getBuiltinModule("node:dns");
const https = process.getBuiltinModule("node:https");

let stage: WebhookStage | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await stage?.close();
  stage = undefined;
});

/** Makes every host name resolve to these addresses, one list after the other. The last one stays. */
function resolveTo(...lists: readonly (readonly string[])[]): () => number {
  const { prototype } = dns.promises.Resolver;
  const isIPv6 = (address: string): boolean => address.includes(":");
  const calls = { resolve4: 0, resolve6: 0 };
  const answer = (type: keyof typeof calls) => () => {
    calls[type] += 1;
    const list = lists[Math.min(calls[type], lists.length) - 1] ?? [];
    return Promise.resolve(list.filter((address) => isIPv6(address) === (type === "resolve6")));
  };
  vi.spyOn(prototype, "resolve4").mockImplementation(answer("resolve4") as never);
  vi.spyOn(prototype, "resolve6").mockImplementation(answer("resolve6") as never);
  return () => Math.max(calls.resolve4, calls.resolve6);
}

/** Keeps requests from being sent, and returns their options. Each fails with this code. */
function catchRequests(code = "ECONNRESET"): RequestOptions[] {
  const caught: RequestOptions[] = [];
  vi.spyOn(https, "request").mockImplementation(((options: RequestOptions) => {
    caught.push(options);
    const request = {
      on: (_: string, listener: (error: Error) => void) => {
        queueMicrotask(() => listener(Object.assign(new Error(code), { code })));
        return request;
      },
      end: () => {},
    };
    return request;
  }) as never);
  return caught;
}

/** Delivers to a URL once, and returns what the error of the attempt says. */
async function deliverTo(url: string): Promise<string> {
  stage = await createStage({ endpoint: () => ({ url, secrets: [SECRET] }) });
  await announce(stage);
  const retried = stage.events.find(({ event }) => event === "operation.retried");
  const { error } = retried as { readonly error: unknown };
  return isAsyncReplyError(error) ? error.detail : String(error);
}

/** Delivers to a URL, to which no request may go, and returns what the error of the attempt says. */
async function refusalFor(url: string): Promise<string> {
  const requests = catchRequests();
  const refusal = await deliverTo(url);
  expect(requests).toEqual([]);
  return refusal;
}

const urlOf = (address: string): string =>
  address.includes(":") ? `https://[${address}]/` : `https://${address}/`;

const trust = "For tests and your own servers, add its origin to `trustedOrigins` of createWebhooks.";
const notPublic = `The URL of the receiver cannot be used: its address is not public. ${trust}`;

describe("a webhook to an address that is not public", () => {
  it.each(REFUSED.filter(([, address]) => !address.includes("%")))(
    "is not sent: %s, %s",
    async (_, address) => {
      expect(await refusalFor(urlOf(address))).toBe(notPublic);
    },
  );

  it.each([
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://0/",
    "https://①②⑦.⓪.⓪.①/",
    "https://127.0.0.1./",
    "https://[0:0:0:0:0:ffff:127.0.0.1]/",
  ])("is not sent in another notation: %s", async (url) => {
    expect(await refusalFor(url)).toBe(notPublic);
  });

  it.each(REFUSED)("is not sent if a host resolves to it: %s, %s", async (_, address) => {
    resolveTo(["1.1.1.1", address]);
    const detail = `The receiver hooks.example resolves to ${address}, which is not an address of the public internet. ${trust}`;
    expect(await refusalFor("https://hooks.example/")).toBe(detail);
  });
});

describe("a webhook with a URL that cannot be used", () => {
  it.each([
    ["http://hooks.example/", "its scheme is not https"],
    ["ftp://hooks.example/", "its scheme is not https"],
    ["file:///etc/passwd", "its scheme is not https"],
    ["https://hooks.example:8443/", "its port is not 443"],
    ["https://hooks.example:22/", "its port is not 443"],
    ["https://ann:secret@hooks.example/", "it contains credentials"],
    ["https://trusted.example@127.0.0.1/", "it contains credentials"],
    ["/hooks", "it is not an absolute URL of at most 2048 characters"],
    ["https://[fe80::1%25eth0]/", "it is not an absolute URL of at most 2048 characters"],
    [`https://hooks.example/${"x".repeat(2_048)}`, "it is not an absolute URL of at most 2048 characters"],
  ])("is not sent: %s", async (url, reason) => {
    const advice = /scheme|port/.test(reason) ? ` ${trust}` : "";
    expect(await refusalFor(url)).toBe(`The URL of the receiver cannot be used: ${reason}.${advice}`);
  });
});

describe("a webhook to a public address", () => {
  it.each(PUBLIC)("is sent to %s", async (address) => {
    const requests = catchRequests();
    await deliverTo(urlOf(address));
    expect(requests).toHaveLength(1);
  });

  it("connects to the address that was checked, even if the host resolves to another one later", async () => {
    const lookups = resolveTo(["1.1.1.1"], ["127.0.0.1"]);
    const requests = catchRequests();
    await deliverTo("https://hooks.example/a?b=c");
    expect(lookups()).toBe(1);
    expect(requests).toMatchObject([
      { host: "1.1.1.1", servername: "hooks.example", path: "/a?b=c", agent: false, method: "POST" },
    ]);
    expect(requests[0]?.headers).toMatchObject({ host: "hooks.example" });
    expect(requests[0]?.lookup).toBeUndefined();
  });

  it("tries the next address if one cannot be reached, IPv4 first, and at most four", async () => {
    resolveTo(["2606:4700::1", "1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4", "1.1.1.5"]);
    const requests = catchRequests("ECONNREFUSED");
    expect(await deliverTo("https://hooks.example/")).toBe("The webhook could not be sent.");
    expect(requests.map(({ host }) => host)).toEqual(["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"]);
  });

  it("is not sent to another address after the connection was made", async () => {
    resolveTo(["1.1.1.1", "1.1.1.2"]);
    const requests = catchRequests("ECONNRESET");
    await deliverTo("https://hooks.example/");
    expect(requests.map(({ host }) => host)).toEqual(["1.1.1.1"]);
  });

  it("is not sent if the host has no address", async () => {
    resolveTo([]);
    expect(await deliverTo("https://hooks.example/")).toBe("The host hooks.example has no address.");
  });
});

describe("a server on loopback", () => {
  it.each([
    ["its origin is not trusted", []],
    ["another port of it is trusted", ["http://127.0.0.1:1"]],
  ])("gets no webhook if %s", async (_, trustedOrigins) => {
    stage = await createStage({ trustedOrigins });
    await announce(stage);
    expect(stage.receiver.received).toEqual([]);
  });
});

describe("a runtime without node:https", () => {
  it("needs its own `send`", () => {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    const endpoint = (): undefined => undefined;
    expect(refusalOf(() => createWebhooks({ endpoint }))).toMatchObject({
      code: "INVALID_OPTION",
      detail: expect.stringContaining("Option `send` of createWebhooks is missing") as string,
    });
    expect(createWebhooks({ endpoint, send: () => Promise.resolve({ status: 204 }) })).toBeDefined();
  });
});
