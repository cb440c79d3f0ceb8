import { fromBase64Url, toBase64Url } from "../contract/base64url.js";
import { isOperationId } from "../contract/operation.js";
import type { ListPosition } from "../ports/operation-store.js";

/** Writes where a page ends. Readers must not look inside. */
export function toCursor({ createdAt, id }: ListPosition): string {
  return toBase64Url(`${createdAt} ${id}`);
}

/** Reads a cursor that `toCursor` wrote. Returns undefined for any other value. */
export function parseCursor(cursor: unknown): ListPosition | undefined {
  if (typeof cursor !== "string") return undefined;
  const [time, id] = decode(cursor).split(" ");
  const createdAt = Number(time);
  if (!Number.isFinite(createdAt) || !isOperationId(id)) return undefined;
  // Only what was written here is read: anything else may mean another place to another version.
  return toCursor({ createdAt, id }) === cursor ? { createdAt, id } : undefined;
}

function decode(cursor: string): string {
  try {
    return fromBase64Url(cursor);
  } catch {
    return "";
  }
}
