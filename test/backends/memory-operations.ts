import type { NewOperation } from "async-request-reply/ports";

/** Returns an operation. `index` distinguishes it from others. */
export function operation(index: number, members: Partial<NewOperation> = {}): NewOperation {
  const id = `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`;
  return { id, tenant: "tenant-1", definition: "orders", input: "null", retentionMs: 0, ...members };
}
