/** Returns the step of a path from a value to one of its members: `.rows`, `["a b"]` or `[0]`. */
export function stepTo(holder: unknown, name: string): string {
  if (/^[a-z_$][\w$]*$/i.test(name)) return `.${name}`;
  return `[${Array.isArray(holder) ? name : JSON.stringify(name)}]`;
}
