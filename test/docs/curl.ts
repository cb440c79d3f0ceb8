import type { HttpRequest } from "async-request-reply";

/** A curl command of a session, and what curl would print. */
export interface Curl {
  readonly request: HttpRequest;
  /** Whether the status line and the header fields are printed: `-i` or `-I`. */
  readonly withFields: boolean;
}

/**
 * Parses a curl command: the few options that sessions use, and a URL on `localhost:3000`.
 *
 * @throws Error for anything else, so that a session cannot show an untested command
 */
export function parseCurl(command: string, variables: ReadonlyMap<string, string>): Curl {
  const [program, ...words] = splitWords(command, variables);
  if (program !== "curl") throw new Error(`Not a curl command: ${command}`);
  const headers: [string, string][] = [["accept", "*/*"]];
  let method: string | undefined;
  let path: string | undefined;
  let body: string | undefined;
  let withFields = false;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "-i") withFields = true;
    else if (word === "-I") [method, withFields] = ["HEAD", true];
    else if (word === "-X") method = words.shift();
    else if (word === "-d") body = words.shift();
    else if (word === "-H") headers.push(toField(words.shift() ?? ""));
    else if (word.startsWith("localhost:3000/")) path = word.slice("localhost:3000".length);
    else throw new Error(`This curl option is not supported here: ${word}`);
  }
  if (path === undefined) throw new Error(`No URL on localhost:3000 in: ${command}`);
  const known = headers.map(([name]) => name);
  if (body !== undefined && !known.includes("content-type"))
    headers.push(["content-type", "application/x-www-form-urlencoded"]);
  if (known.lastIndexOf("accept") > 0) headers.shift();
  return {
    request: { method: method ?? (body === undefined ? "GET" : "POST"), path, headers, body },
    withFields,
  };
}

function toField(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** Splits a command into words like a shell: `'…'` unchanged, `"…"` with variables and backslashes. */
export function splitWords(command: string, variables: ReadonlyMap<string, string>): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part, single, double, plain] of command.matchAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|([^\s'"]+)|\s+/g,
  )) {
    if (/^\s/.test(part)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      const expanded = (double ?? plain ?? "")
        .replace(/\$(\w+)/g, (_, name: string) => variables.get(name) ?? "")
        .replace(/\\(.)/g, "$1");
      word = (word ?? "") + (single ?? expanded);
    }
  }
  return word === undefined ? words : [...words, word];
}
