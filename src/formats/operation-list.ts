/** Returns a list for formats that name each item. `operations` then contains one `operation` per item. */
export function toItems(value: unknown): { readonly operation: unknown } {
  return { operation: (value as { readonly operations: unknown }).operations };
}
