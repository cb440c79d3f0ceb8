/** Every control character except a tab and a line feed. Databases refuse NUL, and terminals obey the others. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;

/**
 * Returns a text that every store, reply and terminal can hold: control characters and lone surrogates become U+FFFD, and a line
 * ends with a line feed. Shortens it to whole characters.
 *
 * @param maxLength UTF-16 code units
 */
export function plainText(text: string, maxLength: number): string {
  return shortenedTo(text, maxLength).replaceAll("\r\n", "\n").replace(CONTROLS, "\ufffd").toWellFormed();
}

/** Returns as much of a text as fits, without half of a surrogate pair at its end. */
export function shortenedTo(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // The code point at the last place has two units if the cut would divide it.
  const isDivided = (text.codePointAt(maxLength - 1) ?? 0) > 0xffff;
  return text.slice(0, isDivided ? maxLength - 1 : maxLength);
}
