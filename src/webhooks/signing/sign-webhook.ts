import { invalidOption } from "../../contract/options.js";
import type { Bytes } from "./secrets.js";
import { readSigningKey, type SigningKey, toBase64 } from "./secrets.js";

/** The parts of a webhook that its signature covers. */
export interface WebhookMessage {
  /** `webhook-id`: the same for every attempt of a delivery. */
  readonly id: string;
  /** `webhook-timestamp`: time of the attempt. Seconds since 1970. */
  readonly timestamp: number;
  /** Bytes of the body. */
  readonly body: Bytes;
}

/**
 * Signs a webhook as Standard Webhooks 1.0 describes, with every secret, and returns the value of `webhook-signature`.
 * Runs on any runtime with WebCrypto. Use it to test a receiver.
 *
 * Throws `INVALID_OPTION` if there is no secret, or if one is malformed.
 */
export async function signWebhook(message: WebhookMessage, secrets: readonly string[]): Promise<string> {
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw invalidOption("secrets", "a list of at least one secret", secrets);
  const content = signedContent(message);
  const signatures = await Promise.all(secrets.map((secret) => sign(content, readSigningKey(secret))));
  return signatures.join(" ");
}

/** Returns the bytes that a signature covers: id, timestamp and body, separated by dots. */
export function signedContent({ id, timestamp, body }: WebhookMessage): Bytes {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  return content;
}

/** HMAC with SHA-256, as WebCrypto names it. */
export const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

async function sign(content: Bytes, key: SigningKey): Promise<string> {
  const { subtle } = crypto;
  if (key.scheme === "v1") {
    const imported = await subtle.importKey("raw", key.secret, HMAC, false, ["sign"]);
    return `v1,${toBase64(await subtle.sign("HMAC", imported, content))}`;
  }
  const imported = await subtle.importKey("pkcs8", pkcs8(key.seed), "Ed25519", false, ["sign"]);
  return `v1a,${toBase64(await subtle.sign("Ed25519", imported, content))}`;
}

/** DER of a private Ed25519 key up to the key itself (RFC 8410 §7). WebCrypto does not import private keys as raw bytes. */
const PKCS8_HEAD = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];

/** Wraps a private Ed25519 key in PKCS #8. */
function pkcs8(seed: Uint8Array): Bytes {
  return Uint8Array.from([...PKCS8_HEAD, ...seed]);
}
