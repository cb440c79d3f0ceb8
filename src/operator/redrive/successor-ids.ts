import { v7 } from "uuid";
import { fromBase64Url } from "../../contract/base64url.js";
import type { Runtime } from "../../ports/runtime.js";

/** A failed operation. Both members are immutable. */
interface Failed {
  readonly id: string;
  readonly settledAt: number;
}

/**
 * Derives the ids of the successor of a failed operation and of the successor's follow-up. They depend only on the
 * failed operation, so repeated and concurrent redrives ask for the same successor. Their timestamp is the end of the
 * failed operation, because any other time would differ between calls.
 */
export async function successorIds(
  { hash }: Pick<Runtime, "hash">,
  failed: Failed,
): Promise<{ readonly id: string; readonly onEndId: string }> {
  const [id, onEndId] = await Promise.all([
    derive(hash, failed, "successor"),
    derive(hash, failed, "on-end"),
  ]);
  return { id, onEndId };
}

async function derive(hash: Runtime["hash"], { id, settledAt }: Failed, purpose: string): Promise<string> {
  return v7({ msecs: settledAt, random: bytesOf(await hash(`${purpose} ${id}`)) });
}

function bytesOf(base64url: string): Uint8Array {
  const text = fromBase64Url(base64url);
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
