/** A list of operations in formats that name each item: `operations` holds one `operation` for each. */
export function toItems(value: unknown): { readonly operation: unknown } {
  return { operation: (value as { readonly operations: unknown }).operations };
}
