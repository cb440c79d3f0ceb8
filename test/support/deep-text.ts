/**
 * Returns all text in a value that a logger could print: strings, bytes, property names, and the hidden properties of
 * errors.
 */
export function deepText(value: unknown): string {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const queue: unknown[] = [value];
  for (const each of queue) {
    if (typeof each === "string") texts.push(each);
    if (each instanceof Uint8Array) texts.push(Buffer.from(each).toString("latin1"));
    if (typeof each !== "object" || each === null || seen.has(each)) continue;
    seen.add(each);
    if (each instanceof Error) queue.push(each.name, each.message, each.stack, each.cause);
    if (each instanceof Map || each instanceof Set) queue.push(...[...each].flat());
    for (const key of Reflect.ownKeys(each)) queue.push(String(key), Reflect.get(each, key));
  }
  return texts.join("\n");
}
