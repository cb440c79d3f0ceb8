import type { ListedOperation, ListPosition, ListRequest } from "../ports/operation-store.js";
import type { OperatorContext } from "./context.js";

/** A list to read page by page. */
export interface Scan {
  readonly request: ListRequest;
  /** Maximum number of operations to read. */
  readonly maxRead: number;
}

/**
 * Reads a list until it ends, `maxRead` is reached, or `take` returns false. An operation for which `take` returned
 * false is left to a later scan. Returns the position to continue from, or undefined if the list has ended.
 */
export async function scan(
  { store }: Pick<OperatorContext, "store">,
  { request, maxRead }: Scan,
  take: (operation: ListedOperation) => boolean | Promise<boolean>,
): Promise<ListPosition | undefined> {
  let { after } = request;
  let read = 0;
  for (;;) {
    const page = await store.list(after === undefined ? request : { ...request, after });
    for (const operation of page) {
      if (read === maxRead || !(await take(operation))) return after;
      read += 1;
      after = { createdAt: operation.createdAt, id: operation.id };
    }
    if (page.length < request.limit) return undefined;
  }
}
