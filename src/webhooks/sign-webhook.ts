import type { AsyncReplyError } from "../contract/errors.js";
import { invalidOption, misuse } from "../contract/options.js";

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

/** Bytes that WebCrypto takes: `Uint8Array<ArrayBuffer>`. Compilers before TypeScript 5.7 do not know that type. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>["encode"]>;

/** A shared key of Standard Webhooks. */
interface SharedKey {
  readonly scheme: "v1";
  readonly secret: Bytes;
}

/** A key that signs: shared, or the private half of a pair. */
type SigningKey = SharedKey | { readonly scheme: "v1a"; readonly seed: Bytes };

/** A key that verifies: shared, or the public half of a pair. */
export type VerifyingKey = SharedKey | { readonly scheme: "v1a"; readonly publicKey: Bytes };

/**
 * Reads a secret: `whsec_` and 24 to 64 bytes in base64, or `whsk_` and the 32 bytes of a private Ed25519 key, which
 * the public key may follow. Without a prefix, the secret is shared.
 *
 * Throws `INVALID_OPTION`. The message does not contain the secret.
 */
function readSigningKey(text: unknown): SigningKey {
  const [prefix, bytes] = split(text);
  if (prefix === "whsk_" && (bytes.length === 32 || bytes.length === 64))
    return { scheme: "v1a", seed: bytes.slice(0, 32) };
  if (prefix === "whsec_" && isSecret(bytes)) return { scheme: "v1", secret: bytes };
  throw malformed("`whsk_` and a private Ed25519 key");
}

/**
 * Reads a secret like {@link readSigningKey}, or `whpk_` and the 32 bytes of a public Ed25519 key.
 *
 * Throws `INVALID_OPTION`. The message does not contain the secret.
 */
export function readVerifyingKey(text: unknown): VerifyingKey {
  const [prefix, bytes] = split(text);
  if (prefix === "whpk_" && bytes.length === 32) return { scheme: "v1a", publicKey: bytes };
  if (prefix === "whsec_" && isSecret(bytes)) return { scheme: "v1", secret: bytes };
  throw malformed("`whpk_` and a public Ed25519 key");
}

function split(text: unknown): readonly [prefix: string, bytes: Bytes] {
  const [, prefix = "whsec_", encoded = ""] =
    typeof text === "string" ? (/^(wh[a-z]+_)?(.*)$/s.exec(text) ?? []) : [];
  return [prefix, fromBase64(encoded) ?? new Uint8Array()];
}

function isSecret({ length }: Uint8Array): boolean {
  return length >= 24 && length <= 64;
}

function malformed(pair: string): AsyncReplyError {
  return misuse(
    `Option \`secrets\` has a malformed secret. Pass \`whsec_\` and 24 to 64 random bytes in base64, or ${pair} in base64.`,
  );
}

/** Decodes base64, or returns undefined if the text is not base64. */
export function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Encodes bytes in base64, with padding. */
function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
