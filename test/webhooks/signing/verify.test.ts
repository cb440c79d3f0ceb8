import { generateKeyPairSync, sign } from "node:crypto";
import { signWebhook, type VerifyWebhookOptions, verifyWebhook } from "async-request-reply/webhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { describeCorpus } from "../../support/corpora.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = "whsec_C2VFsBQIhrscChlQIMV+b5sSYspob7oD";
const id = "msg_1";
const timestamp = 1_614_265_330;
const now = (): number => timestamp * 1_000;
const text = '{"type":"operation.completed","note":"ä"}';
const body = new TextEncoder().encode(text);

const signed = (secrets: readonly string[]): Promise<string> => signWebhook({ id, timestamp, body }, secrets);

function headersWith(signature: string): Record<string, string> {
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature };
}

/** Header fields of the genuine webhook, changed like this. */
const genuineHeaders = async (change: Readonly<Record<string, string>> = {}) => ({
  ...headersWith(await signed([SECRET])),
  ...change,
});

/** Verifies, and returns the code and the detail of the error, or `accepted`. */
async function verdict(options: Partial<VerifyWebhookOptions>): Promise<string> {
  const headers = await genuineHeaders();
  try {
    await verifyWebhook({ headers, body, secrets: [SECRET], now, ...options });
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
}

afterEach(() => vi.restoreAllMocks());

const TOO_FAR = "UNAUTHENTICATED: The header field webhook-timestamp is too far from the current time.";
const NONE = "UNAUTHENTICATED: No signature of the webhook belongs to one of the secrets.";

describeCorpus("standard-webhooks", (cases) => {
  it.each(cases)("$name", async (webhook) => {
    const { secret, id, timestamp, payload, signature, verdict } = webhook as unknown as {
      readonly [Member in "secret" | "id" | "payload" | "signature" | "verdict"]: string;
    } & { readonly timestamp: number };
    const headers = { ...headersWith(signature), "webhook-id": id, "webhook-timestamp": String(timestamp) };
    const message = { headers, body: payload ?? "", secrets: [secret], now: () => timestamp * 1_000 };
    const checked = verifyWebhook(message).then(
      () => "accept",
      ({ code }: { code: string }) => (code === "INVALID_OPTION" ? "reject-secret" : "reject"),
    );
    expect(await checked).toBe(verdict);
  });
});

describe("verifyWebhook", () => {
  it("returns the body and the id", async () => {
    const headers = await genuineHeaders();
    const verified = await verifyWebhook({ headers, body: text, secrets: [SECRET], now });
    expect(verified).toEqual({ type: "operation.completed", note: "ä", id });
  });

  it("reads the header fields of the Fetch API", async () => {
    expect(await verdict({ headers: new Headers(await genuineHeaders()) })).toBe("accepted");
  });

  it("accepts either secret while they are rotated, on both sides", async () => {
    expect(await verdict({ secrets: [OTHER, SECRET] })).toBe("accepted");
    expect(await verdict({ headers: headersWith(await signed([OTHER, SECRET])) })).toBe("accepted");
  });

  it("refuses another secret", async () => {
    expect(await verdict({ secrets: [OTHER] })).toBe(NONE);
  });

  it.each([
    ["body", `${text} `, {}],
    ["id", text, { "webhook-id": "msg_2" }],
    ["timestamp", text, { "webhook-timestamp": "1614265331" }],
  ])("refuses another %s than the signed one", async (_, other, change) => {
    expect(await verdict({ headers: await genuineHeaders(change), body: other })).toBe(NONE);
  });

  it.each([
    [300_000, "accepted"],
    [-300_000, "accepted"],
    [301_000, TOO_FAR],
    [-301_000, TOO_FAR],
  ])("tolerates clocks that differ by 5 min: %i ms", async (ms, expected) => {
    expect(await verdict({ now: () => now() + ms })).toBe(expected);
  });

  it.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("needs %s exactly once", async (name) => {
    const detail = `UNAUTHENTICATED: The webhook needs exactly one header field ${name}.`;
    const headers: Readonly<Record<string, string>> = await genuineHeaders();
    for (const value of [undefined, "", [headers[name] ?? "", "2"]])
      expect(await verdict({ headers: { ...headers, [name]: value } })).toBe(detail);
  });

  it.each(["", "1.5", "-1", "1e9", "NaN", " 1"])("refuses the timestamp %j", async (time) => {
    const headers = await genuineHeaders({ "webhook-timestamp": time || "x" });
    expect(await verdict({ headers })).toBe(
      "UNAUTHENTICATED: The header field webhook-timestamp is not a number of seconds.",
    );
  });

  it.each(["v1", "v1,", "v1,%%%", ",", "v1a,AAAA", "v1,AAAA v1,BBBB", "v3,x"])(
    "refuses the signature %j",
    async (signature) => {
      expect(await verdict({ headers: headersWith(signature) })).toBe(NONE);
    },
  );

  it("computes one HMAC for each secret, for any number of signatures", async () => {
    const subtle = vi.spyOn(crypto.subtle, "sign");
    const [verify, imports] = [vi.spyOn(crypto.subtle, "verify"), vi.spyOn(crypto.subtle, "importKey")];
    const forged = Array.from({ length: 3_900 }, (_, index) => `v1,${btoa(String(index).padEnd(32))}`);
    const headers = headersWith(forged.join(" "));
    expect(await verdict({ headers, secrets: [OTHER, SECRET] })).toBe(NONE);
    // One more of each, because the test signs a webhook itself.
    expect([subtle, verify, imports].map(({ mock }) => mock.calls.length)).toEqual([3, 0, 3]);
  });

  it("computes nothing if no signature has the length of one", async () => {
    const sign = vi.spyOn(crypto.subtle, "sign");
    const headers = headersWith("v1,AAAA v1, v1a,AAAA v1");
    await expect(verifyWebhook({ headers, body, secrets: [SECRET], now })).rejects.toThrow(NONE);
    expect(sign).not.toHaveBeenCalled();
  });

  it.each([
    [19, "accepted"],
    [20, NONE],
  ])("looks at the first 20 signatures: the genuine one comes after %i", async (before, expected) => {
    const forged = new Array(before).fill(`v1,${btoa("x".repeat(32))}`);
    const headers = headersWith([...forged, await signed([SECRET])].join(" "));
    expect(await verdict({ headers })).toBe(expected);
  });

  it("refuses a signature that differs in one bit", async () => {
    const genuine = Buffer.from((await signed([SECRET])).slice(3), "base64");
    for (const at of [0, 15, 31]) {
      const forged = Buffer.from(genuine);
      forged.writeUInt8(forged.readUInt8(at) ^ 1, at);
      expect(await verdict({ headers: headersWith(`v1,${forged.toString("base64")}`) })).toBe(NONE);
    }
  });

  it.each([
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [Promise.resolve(timestamp * 1_000), "a promise that was not awaited"],
    [String(timestamp * 1_000), '"1614265330000"'],
    [new Date(timestamp * 1_000), "an object"],
    [undefined, "undefined"],
  ])("refuses a clock that returns no number: %s", async (time, shown) => {
    expect(await verdict({ now: () => time as number })).toBe(
      `INVALID_OPTION: Option \`now\` of verifyWebhook returned ${shown}. Return the current time as epoch milliseconds.`,
    );
  });

  it("refuses a time instead of a clock", async () => {
    const detail = `Option \`now\` must be a function, not ${timestamp}.`;
    expect(await verdict({ now: timestamp as never })).toBe(`INVALID_OPTION: ${detail}`);
  });

  it("says so if a genuine body is not JSON", async () => {
    const bytes = new TextEncoder().encode("{");
    const headers = headersWith(await signWebhook({ id, timestamp, body: bytes }, [SECRET]));
    expect(await verdict({ headers, body: bytes })).toBe(
      "MALFORMED_BODY: The body of the webhook is not JSON.",
    );
  });

  it("refuses a body that was parsed", async () => {
    const detail = "the text or the bytes of the request, before it was parsed, not an object.";
    expect(await verdict({ body: {} as never })).toBe(`INVALID_OPTION: Option \`body\` must be ${detail}`);
  });
});

describe("v1a", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const jwk = privateKey.export({ format: "jwk" });
  const seed = Buffer.from(jwk.d ?? "", "base64url");
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const whpk = `whpk_${raw.toString("base64")}`;
  const expected = `v1a,${sign(null, Buffer.from(`${id}.${timestamp}.${text}`), privateKey).toString("base64")}`;

  it.each([
    ["32 bytes", seed],
    ["64 bytes, with the public key", Buffer.concat([seed, raw])],
  ])("signs like Node.js with a private key of %s", async (_, key) => {
    expect(await signed([`whsk_${key.toString("base64")}`])).toBe(expected);
  });

  it("is verified with the public key", async () => {
    expect(await verdict({ headers: headersWith(expected), secrets: [whpk] })).toBe("accepted");
    expect(await verdict({ secrets: [whpk] })).toBe(NONE);
  });

  it("is verified at most 20 times, with a key that is imported once", async () => {
    const [verify, imports] = [vi.spyOn(crypto.subtle, "verify"), vi.spyOn(crypto.subtle, "importKey")];
    const forged = new Array(100).fill(`v1a,${btoa("x".repeat(64))}`);
    const headers = headersWith(forged.join(" "));
    await expect(verifyWebhook({ headers, body, secrets: [whpk], now })).rejects.toThrow(NONE);
    expect([verify, imports].map(({ mock }) => mock.calls.length)).toEqual([20, 1]);
  });

  it("may stand next to v1 while receivers move from one to the other", async () => {
    const both = headersWith(await signed([`whsk_${seed.toString("base64")}`, SECRET]));
    expect(await verdict({ headers: both, secrets: [whpk] })).toBe("accepted");
    expect(await verdict({ headers: both, secrets: [SECRET] })).toBe("accepted");
  });
});

describe("a secret", () => {
  const bytes = (count: number): string => Buffer.alloc(count, 1).toString("base64");
  it.each([
    `whsec_${bytes(23)}`,
    `whsec_${bytes(65)}`,
    `whsk_${bytes(31)}`,
    `whpk_${bytes(32)}`,
    `whxx_${bytes(32)}`,
    "whsec_%%%",
    "",
    undefined,
  ])("that is malformed cannot sign: %s", async (secret) => {
    const error: unknown = await signed([secret as string]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "INVALID_OPTION",
      detail:
        "Option `secrets` has a malformed secret. Pass `whsec_` and 24 to 64 random bytes in base64, or `whsk_` and a " +
        "private Ed25519 key in base64.",
    });
  });

  it.each([24, 64])("may have %i bytes", async (count) => {
    expect(await signed([`whsec_${bytes(count)}`])).toMatch(/^v1,/);
  });
});
