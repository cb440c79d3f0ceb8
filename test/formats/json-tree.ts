import fc from "fast-check";

/** A JSON document that, unlike an object, keeps repeated names. */
export type Tree =
  | null
  | string
  | number
  | readonly Tree[]
  | { readonly members: readonly (readonly [string, Tree])[] };

const name = fc.oneof(
  { arbitrary: fc.constantFrom("", "a", '"', "\\", "é", "__proto__", "1"), weight: 4 },
  fc.string({ maxLength: 3 }),
);
const nodes = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, 0, 1.5, "", "a", '"a":1', "\\"),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.record({ members: fc.array(fc.tuple(name, tie("tree")), { maxLength: 5 }) }),
  ),
}));

/** Documents. About every fourth one repeats a name in some object. */
export const tree: fc.Arbitrary<Tree> = nodes.tree;

export function hasRepeatedName(node: Tree): boolean {
  if (typeof node !== "object" || node === null) return false;
  if (Array.isArray(node)) return node.some(hasRepeatedName);
  const { members } = node as Exclude<typeof node, readonly Tree[]>;
  const names = members.map(([key]) => key);
  return new Set(names).size < names.length || members.some(([, value]) => hasRepeatedName(value));
}

/** Writes the document. The numbers from 0 to 5 in `style` choose white space and escapes. */
export function write(node: Tree, style: Iterator<number>): string {
  const space = (): string => ["", "", "", " ", "\n\t", " "][style.next().value] ?? "";
  if (typeof node === "string") return quote(node, style);
  if (typeof node !== "object" || node === null) return `${node}`;
  if (Array.isArray(node)) return `[${space()}${node.map((item) => write(item, style) + space()).join(",")}]`;
  const { members } = node as Exclude<typeof node, readonly Tree[]>;
  const written = members.map(
    ([key, value]) => `${space()}${quote(key, style)}${space()}:${space()}${write(value, style)}${space()}`,
  );
  return `{${space()}${written.join(",")}}`;
}

function quote(text: string, style: Iterator<number>): string {
  if (style.next().value > 1) return JSON.stringify(text);
  const units = text.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return `"${units.map((hex) => `\\u${hex}`).join("")}"`;
}
