/** Tenants at the limits. All of them differ, although a collation or a column may treat some as equal. */
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

/** Builds two texts of 255 UTF-16 code units that differ at their end. */
function atTheLimit(character: string, other: string): string[] {
  const room = 255 - other.length;
  const same = character.repeat(Math.floor(room / character.length)).padEnd(room, "a");
  return [same + character, same + other];
}
