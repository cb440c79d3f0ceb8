/**
 * Returns the name of a definition in characters that every broker allows: letters, digits and `-`. The other
 * characters of names, `.` and `_`, become `_2e` and `_5f`, so different names stay different.
 */
export function toSafeName(definition: string): string {
  return definition.replace(/[^A-Za-z0-9-]/g, (character) => `_${character.charCodeAt(0).toString(16)}`);
}
