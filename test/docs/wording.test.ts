import { describe, expect, it } from "vitest";
import { manifest } from "../support/built.js";
import { type Page, pages } from "../support/pages.js";

/** Returns the sentences that contain a phrase, without line breaks. */
function sentencesWith({ path, text }: Page, phrase: RegExp): string[] {
  return text
    .replaceAll(/\s+/g, " ")
    .split(/(?<=[.:;|]) /)
    .filter((sentence) => phrase.test(sentence))
    .map((sentence) => `${path}: ${sentence}`);
}

describe("the pages", () => {
  it("never claim that something happens exactly once", () => {
    const claims = pages.flatMap((each) => sentencesWith(each, /exactly[ -]once/i));
    expect(claims.filter((claim) => !/\b(no|not|never|nothing|nobody)\b/i.test(claim))).toEqual([]);
  });

  it("never cite RFC 9651 for idempotency keys", () => {
    const cited = pages.flatMap((each) => sentencesWith(each, /RFC ?9651/));
    expect(cited.filter((sentence) => /idempotency/i.test(sentence))).toEqual([]);
  });

  it("name only scripts that package.json has", () => {
    const named = pages.flatMap(({ text }) =>
      [...text.matchAll(/npm (?:run )?([a-z:]+)/g)].map(([, name]) => name),
    );
    const known = [...Object.keys(manifest.scripts), "ci", "install"];
    expect(named.filter((name) => !known.includes(name ?? ""))).toEqual([]);
  });
});
