import type { Sent, Series } from "../wire.js";
import { wordsFor } from "./action-words.js";
import { svg } from "./dom.js";
import { localTime } from "./format.js";
import { HEIGHT, type Span, stepAt } from "./picture.js";

/** Something that people did within a range. */
export type Mark = NonNullable<Sent<Series>["marks"]>[number];

/** Says what was done, and by whom. */
export function sentenceOf({ action, by }: Mark): string {
  return wordsFor(action) + (by === undefined ? "" : ` by ${by}`);
}

/** Draws a vertical line for each mark. Its title says what was done, also to who points beside it. */
export function linesOf(marks: readonly Mark[], span: Span): readonly SVGElement[] {
  return marks.flatMap((mark) => {
    const d = `M${Math.max(0, stepAt(mark.at, span))} 0V${HEIGHT}`;
    const title = svg("title", {}, `${localTime(mark.at)}: ${sentenceOf(mark)}`);
    return [svg("path", { class: "mark", d }), svg("path", { class: "around", d }, title)];
  });
}
