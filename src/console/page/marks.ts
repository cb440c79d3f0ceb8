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

/**
 * Draws a vertical line for each step with marks, which come newest first. Its title says what was done, also to who points beside it.
 */
export function linesOf(marks: readonly Mark[], span: Span): readonly SVGElement[] {
  const said = new Map<number, string>();
  for (const mark of marks) {
    const step = Math.max(0, Math.floor(stepAt(mark.at, span)));
    const earlier = said.get(step);
    const sentence = `${localTime(mark.at)}: ${sentenceOf(mark)}`;
    said.set(step, earlier === undefined ? sentence : `${sentence}\n${earlier}`);
  }
  return [...said].flatMap(([step, text]) => {
    const d = `M${step + 0.5} 0V${HEIGHT}`;
    return [svg("path", { class: "mark", d }), svg("path", { class: "around", d }, svg("title", {}, text))];
  });
}
