/** The parts of an element of highlighted code that are used here. */
interface CodeElement {
  readonly type: "element";
  readonly tagName: "span";
  properties: { class?: string };
  children: CodeNode[];
}

type CodeNode = CodeElement | { readonly type: "text"; value: string };

/** The part of a transformer of Shiki that is used here. */
interface Transformer {
  readonly name: string;
  code(this: Highlighted, code: { children: unknown[] }): void;
}

interface Highlighted {
  readonly source: string;
  readonly options: { readonly lang: string };
}

const PROMPT = "$ ";
/** The button that copies code leaves out elements of this class. */
const NOT_COPIED = "vp-copy-ignore";

/** Tells the commands of a session from its output. The button copies only the commands, without their prompts. */
export const consoleSessions: Transformer = {
  name: "console-sessions",
  code(code) {
    if (this.options.lang !== "console") return;
    const lines = this.source.trimEnd().split("\n");
    const commands = lines.map((_, index) => isCommand(lines, index));
    const last = commands.lastIndexOf(true);
    if (last === -1) return;
    code.children = lines.flatMap((line, index): CodeNode[] => {
      const end = text("\n");
      if (!commands[index]) return [span(NOT_COPIED, span("line", text(line)), end)];
      const command = line.startsWith(PROMPT)
        ? span("line command", span(`prompt ${NOT_COPIED}`, text(PROMPT)), text(line.slice(PROMPT.length)))
        : span("line command", text(line));
      return [command, index < last ? end : span(NOT_COPIED, end)];
    });
  },
};

/** A command continues on the next line after a backslash. */
function isCommand(lines: readonly string[], index: number): boolean {
  if (lines[index]?.startsWith(PROMPT)) return true;
  return lines[index - 1]?.endsWith("\\") === true && isCommand(lines, index - 1);
}

function span(className: string, ...children: CodeNode[]): CodeElement {
  return { type: "element", tagName: "span", properties: { class: className }, children };
}

function text(value: string): CodeNode {
  return { type: "text", value };
}
