/** The part of a transformer of Shiki that is used here. */
interface Transformer {
  readonly name: string;
  line(
    this: { readonly source: string },
    line: { properties: Record<string, unknown> },
    number: number,
  ): void;
}

/** Says how far each line of code is indented, so that the rest of a long line can be indented further. */
export const hangingIndent: Transformer = {
  name: "hanging-indent",
  line(line, number) {
    const text = this.source.split("\n")[number - 1] ?? "";
    line.properties.style = `--indent: ${text.length - text.trimStart().length}ch`;
  },
};
