/** Returns how much room a variant takes, part by part: `{ name, bytes }`. */
export function sizes(variant) {
  return variant.sizes();
}
