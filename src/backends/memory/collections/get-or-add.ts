/** Returns the value of a name, and creates it before if the map does not have it. */
export function getOrAdd<Value>(values: Map<string, Value>, name: string, create: () => Value): Value {
  const known = values.get(name);
  if (known !== undefined) return known;
  const added = create();
  values.set(name, added);
  return added;
}
