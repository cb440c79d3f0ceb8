/** Members without those that are undefined. */
export type Present<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Leaves out members that are undefined. */
export function present<Members extends object>(members: Members): Present<Members> {
  const found = {};
  assignPresent(found, members);
  return found;
}

/** Sets those members of an object that are not undefined. */
export function assignPresent<Target extends object>(
  target: Target,
  members: { readonly [Name in keyof Target]?: Target[Name] | undefined },
): void {
  for (const name of Object.keys(members) as (keyof Target)[]) {
    const value = members[name];
    if (value !== undefined) target[name] = value as Target[typeof name];
  }
}
