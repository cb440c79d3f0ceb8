import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarStyleRule } from "js-yaml";

/**
 * Writes a JSON value as YAML that every reader reads back to the same value: a string that looks like another type, in
 * YAML 1.1 too, is quoted; lines are not folded; there are no anchors; members keep their order.
 */
export function writeYaml(value: unknown): string {
  // JSON is YAML too. Blocks as deep as this nobody reads, and every line of them would be indented out of sight.
  if (!isWithin(value, READABLE_DEPTH)) return JSON.stringify(value);
  try {
    return dump(value, { noRefs: true, lineWidth: -1, scalarStyleRules: STYLES });
  } catch {
    // js-yaml looks at texts with regular expressions that run out of stack at some megabytes.
    return JSON.stringify(value);
  }
}

const READABLE_DEPTH = 32;

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(member, levels - 1));
}

/** Quotes what js-yaml would write so that another reader, or js-yaml itself, reads something else. */
const quoteMore: ScalarStyleRule = (layout) => {
  const { value } = layout.node;
  const isMisread = layout.isKey
    ? // At the start of a line it would be a document marker.
      /^(?:---|\.\.\.)/.test(value)
    : // How far a block is indented that begins with white space is understood differently by readers.
      /^\s/.test(value);
  // js-yaml takes a number for a string where it is too large.
  const isInfinite = Math.abs(Number(value)) === Number.POSITIVE_INFINITY;
  if (isMisread || isInfinite) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
};

const STYLES: readonly ScalarStyleRule[] = [quoteMore, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)];
