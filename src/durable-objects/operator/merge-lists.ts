import type { ListedOperation, ListRequest } from "../../ports/operation-reads.js";

/** An object whose operations are listed. */
export interface Listed {
  /** `createdAt` of its newest operation, or a later time. Epoch milliseconds. */
  readonly newestAt: number;
  list(request: ListRequest): Promise<readonly ListedOperation[]>;
}

/** Objects that are asked at the same time: so many connections a Worker has. */
const BATCH = 6;

/**
 * Merges the lists of objects. Objects come in the order of their newest operations, so the merge asks no more of them once a page is
 * full of newer operations than any that is left can have.
 */
export async function mergeLists(
  objects: AsyncIterable<Listed> | Iterable<Listed>,
  request: ListRequest,
): Promise<readonly ListedOperation[]> {
  let page: readonly ListedOperation[] = [];
  let batch: Listed[] = [];
  const ask = async (): Promise<void> => {
    const lists = await Promise.all(batch.map(({ list }) => list(request)));
    batch = [];
    page = [...page, ...lists.flat()].sort(newestFirst).slice(0, request.limit);
  };
  for await (const object of objects) {
    if (batch.length === BATCH) await ask();
    const last = page[request.limit - 1];
    if (last !== undefined && object.newestAt < last.createdAt) break;
    if (request.createdFrom !== undefined && object.newestAt < request.createdFrom) break;
    batch.push(object);
  }
  await ask();
  return page;
}

function newestFirst(one: ListedOperation, other: ListedOperation): number {
  if (one.createdAt !== other.createdAt) return other.createdAt - one.createdAt;
  return one.id < other.id ? 1 : -1;
}
