/** A command or a remark of a session, and the output below it. */
export interface Step {
  readonly input: string;
  readonly shown: readonly string[];
}

/** Splits a session into steps. A command begins with `$ ` and continues after a backslash. A remark begins with `# `. */
export function stepsOf(session: string): Step[] {
  const steps: { input: string; shown: string[] }[] = [];
  for (const line of session.replaceAll("\\\n", " ").trimEnd().split("\n")) {
    if (/^[$#] /.test(line)) steps.push({ input: line, shown: [] });
    else steps.at(-1)?.shown.push(line);
  }
  return steps.map(({ input, shown }) => ({ input, shown: shown.join("\n").trimEnd().split("\n") }));
}

/** A reply to compare with the output on a page. */
export interface Reply {
  readonly statusLine: string;
  /** Returns the value of a header field by its lower-case name. */
  field(name: string): string | undefined;
  readonly body: string;
}

/**
 * Formats the reply like the output on the page: with the status line and the same header fields if the page shows them, `…` for
 * any other fields, and JSON or XML broken into the same lines.
 */
export function inTheFormOf(shown: readonly string[], reply: Reply): readonly string[] {
  const hasHead = shown[0]?.startsWith("HTTP/") === true;
  if (!hasHead) return laidOutAs(shown, reply.body);
  const end = shown.findIndex((line) => /^($|[{<])/.test(line));
  const head = end === -1 ? shown : shown.slice(0, end);
  const fields = head.slice(1).map((line) => fieldOf(line, reply));
  return [reply.statusLine, ...fields, ...laidOutAs(shown.slice(head.length), reply.body)];
}

function fieldOf(line: string, reply: Reply): string {
  if (line === "…") return line;
  const [name = ""] = line.split(":", 1);
  return `${name}: ${reply.field(name.toLowerCase())}`;
}

/** A page may break JSON and XML into lines. YAML already has lines. */
function laidOutAs(shown: readonly string[], body: string): readonly string[] {
  return compact(shown.join("\n")) === compact(body) ? shown : body.trimEnd().split("\n");
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.replaceAll(/>\s+</g, "><");
  }
}
