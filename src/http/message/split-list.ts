/** Splits at commas outside of quoted strings, and drops empty elements (RFC 9110 §5.6.1.2). */
export function splitList(text: string): string[] {
  const elements: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === "\\" && isQuoted) at++;
    else if (text[at] === "," && !isQuoted) {
      elements.push(text.slice(start, at));
      start = at + 1;
    }
  }
  elements.push(text.slice(start));
  return elements.filter((element) => element.trim() !== "");
}
