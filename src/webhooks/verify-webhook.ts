import { AsyncReplyError, unauthenticated } from "../contract/errors.js";
import { callback, duration, unchecked } from "../contract/option-values.js";
import { invalidOption, misuse, type OptionTable, readOptions, shown } from "../contract/options.js";
import type { WebhookEvent } from "./event.js";
import {
  type Bytes,
  fromBase64,
  HMAC,
  readVerifyingKey,
  signedContent,
  type VerifyingKey,
} from "./sign-webhook.js";

/** Header fields of a request: those of the Fetch API, or of Node.js, with names in lower case. */
export type WebhookHeaders =
  | Pick<Headers, "get">
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options of {@link verifyWebhook}. */
export interface VerifyWebhookOptions {
  /** Header fields of the request. */
  readonly headers: WebhookHeaders;
  /** Body exactly as it arrived. Do not parse it first: JSON that was written again has another signature. */
  readonly body: string | Uint8Array;
  /** Secrets (`whsec_…`) or public keys (`whpk_…`) of the sender. Pass the old and the new one while you rotate them. */
  readonly secrets: readonly string[];
  /** How far the clocks of sender and receiver may differ. Milliseconds. Default: 5 min. */
  readonly toleranceMs?: number;
  /** Returns the current time. Epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
}

const OPTIONS: OptionTable<Required<VerifyWebhookOptions>> = {
  headers: unchecked(),
  body: unchecked(),
  secrets: (value, name) => {
    if (Array.isArray(value) && value.length > 0) return value;
    throw invalidOption(name, "a list of at least one secret", value);
  },
  toleranceMs: duration(300_000),
  now: callback("a function", () => Date.now()),
};

/** Anyone can send many signatures, and each costs time. Senders have one for each secret. */
const MAX_SIGNATURES = 20;
const SIGNATURE_BYTES: Readonly<Record<string, number>> = { v1: 32, v1a: 64 };
/** Length of 64 bytes in base64. */
const MAX_ENCODED_LENGTH = 88;

/** A webhook whose signature is valid. */
export interface ReceivedWebhook extends WebhookEvent {
  /** `webhook-id`. A webhook may arrive more than once with the same id. */
  readonly id: string;
}

/**
 * Verifies a webhook of Standard Webhooks 1.0 and returns its body. Accepts it if one of its `v1` or `v1a` signatures
 * belongs to one of the secrets, and if its timestamp is recent. Looks at the first 20 signatures. Compares in constant
 * time. Runs on any runtime with WebCrypto.
 *
 * Throws `UNAUTHENTICATED` if the webhook is not genuine: answer with 401. Throws `MALFORMED_BODY` if a genuine one is
 * not JSON, and `INVALID_OPTION` if a secret is malformed or `now` returns no time.
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<ReceivedWebhook> {
  const { headers, secrets, toleranceMs, now, ...given } = readOptions(options, OPTIONS, "verifyWebhook");
  const keys = secrets.map(readVerifyingKey);
  const id = field(headers, "webhook-id");
  const timestamp = readTimestamp(field(headers, "webhook-timestamp"));
  if (Math.abs(read(now) - timestamp * 1_000) > toleranceMs)
    throw unauthenticated("The header field webhook-timestamp is too far from the current time.");
  const body = toBytes(given.body);
  const content = signedContent({ id, timestamp, body });
  const signatures = readSignatures(field(headers, "webhook-signature"));
  for (const key of keys) if (await isSigned(content, key, signatures)) return { ...parse(body), id };
  throw unauthenticated("No signature of the webhook belongs to one of the secrets.");
}

/** Every comparison with NaN is false, so a clock that returns no number would accept every timestamp. */
function read(now: () => unknown): number {
  const time = now();
  if (typeof time === "number" && Number.isFinite(time)) return time;
  throw misuse(
    `Option \`now\` of verifyWebhook returned ${shown(time)}. Return the current time as epoch milliseconds.`,
  );
}

function field(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === "function" ? headers.get(name) : Reflect.get(headers, name);
  if (typeof value === "string" && value !== "") return value;
  throw unauthenticated(`The webhook needs exactly one header field ${name}.`);
}

function readTimestamp(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw unauthenticated("The header field webhook-timestamp is not a number of seconds.");
}

function toBytes(body: string | Uint8Array): Bytes {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw invalidOption("body", "the text or the bytes of the request, before it was parsed", body);
}

interface Signature {
  readonly scheme: string;
  readonly bytes: Bytes;
}

/** Returns the first signatures, without those that no key could have made. */
function readSignatures(text: string): readonly Signature[] {
  return text.split(" ", MAX_SIGNATURES).flatMap((part) => {
    const comma = part.indexOf(",");
    const [scheme, encoded] = [part.slice(0, comma), part.slice(comma + 1)];
    const bytes = encoded.length <= MAX_ENCODED_LENGTH ? fromBase64(encoded) : undefined;
    return bytes !== undefined && bytes.length === SIGNATURE_BYTES[scheme] ? [{ scheme, bytes }] : [];
  });
}

async function isSigned(
  content: Bytes,
  key: VerifyingKey,
  signatures: readonly Signature[],
): Promise<boolean> {
  const candidates = signatures.filter(({ scheme }) => scheme === key.scheme);
  if (candidates.length === 0) return false;
  const { subtle } = crypto;
  if (key.scheme === "v1") {
    const imported = await subtle.importKey("raw", key.secret, HMAC, false, ["sign"]);
    const expected = new Uint8Array(await subtle.sign("HMAC", imported, content));
    return candidates.some(({ bytes }) => isEqual(bytes, expected));
  }
  const imported = await subtle.importKey("raw", key.publicKey, "Ed25519", false, ["verify"]);
  for (const { bytes } of candidates)
    if (await subtle.verify("Ed25519", imported, bytes, content)) return true;
  return false;
}

/** Compares bytes of the same length in constant time. */
function isEqual(a: Bytes, b: Bytes): boolean {
  return a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0;
}

function parse(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as WebhookEvent;
  } catch (cause) {
    throw new AsyncReplyError("MALFORMED_BODY", "The body of the webhook is not JSON.", { cause });
  }
}
