import { fromBase64Url, toBase64Url } from "../contract/base64url.js";
import { isOperationId } from "../contract/operation.js";
import type { ListPosition } from "../ports/operation-reads.js";

/** Returns the cursor for the end of a page. It is opaque to clients. */
export function toCursor({ createdAt, id }: ListPosition): string {
  return toBase64Url(`${createdAt} ${id}`);
}

/** Parses a cursor that `toCursor` returned. Returns undefined for any other value. */
export function parseCursor(cursor: unknown): ListPosition | undefined {
  if (typeof cursor !== "string") return undefined;
  const [time, id] = decode(cursor).split(" ");
  const createdAt = Number(time);
  if (!Number.isFinite(createdAt) || !isOperationId(id)) return undefined;
  // Accepts only exact round trips: another spelling may mean a different position in another version.
  return toCursor({ createdAt, id }) === cursor ? { createdAt, id } : undefined;
}

function decode(cursor: string): string {
  try {
    return fromBase64Url(cursor);
  } catch {
    return "";
  }
}
