/** Tenants at the limits. No two of them are the same, whatever a collation or a column makes of them. */
export const TENANTS: readonly string[] = [
  "acme",
  "Acme",
  "acme ",
  " acme",
  "acme\t",
  "caf\u00e9",
  "cafe\u0301",
  "stra\u00dfe",
  "strasse",
  "\ufb01",
  "fi",
  "\ufffd",
  "t%",
  "t_",
  "t\\",
  "'; --",
  "__proto__",
  ...atTheLimit("a", "b"),
  ...atTheLimit("\u8a9e", "\u8a00"),
  ...atTheLimit("\u{1f600}", "\u{1f601}"),
];

/** Two texts of 255 UTF-16 code units that differ at their end. */
function atTheLimit(character: string, other: string): string[] {
  const room = 255 - other.length;
  const same = character.repeat(Math.floor(room / character.length)).padEnd(room, "a");
  return [same + character, same + other];
}
