import type { ListedOperation, ListPosition, ListRequest } from "../ports/operation-store.js";
import type { OperatorContext } from "./context.js";

/** What is read, page by page. */
export interface Scan {
  readonly request: ListRequest;
  /** Number of operations after which the scan ends. */
  readonly maxRead: number;
}

/**
 * Reads a list until it ends, `maxRead` is reached, or `take` returns false, which leaves that operation to a later scan.
 * Returns the position to go on from, or undefined if nothing is left.
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
