import { isOperationId } from "../contract/operation.js";
import type { ListPosition } from "../ports/operation-store.js";

/** Returns the position of a page as opaque text. */
export function toCursor({ createdAt, id }: ListPosition): string {
  return btoa(`${createdAt} ${id}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Reads a cursor that `toCursor` wrote. Returns undefined for any other value. */
export function parseCursor(cursor: unknown): ListPosition | undefined {
  if (typeof cursor !== "string") return undefined;
  const [time = "", id] = decode(cursor).split(" ");
  const createdAt = Number.parseFloat(time);
  return Number.isFinite(createdAt) && isOperationId(id) ? { createdAt, id } : undefined;
}

function decode(cursor: string): string {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}
