/** @import { TextlintRuleModule } from "@textlint/types" */

/** Phrases of the house style that are never right, each with what to write instead. */
const PHRASES = [
  [/\b(?:whoever|whomever|whosoever)\b/i, "name who does it, or write `any caller`, `anyone who`"],
  [/\b(?:whatever|whichever|whosesoever)\b/i, "name the thing, or write `any` or `everything`"],
  [/\bsomebody\b/i, "name who does it"],
  [/\bnobody\b/i, "write `no one`, or name who does not do it"],
  [/\bneed not\b/i, "write `does not have to`"],
  [/\bmay not\b/i, "write `must not` or `might not`"],
  [/\bof (?:its|their|your|his|her|our) own\b/i, "write `its own …` before the noun, or leave it out"],
  [/\b(?:is|are|was|were) (?:told|said aloud)\b/i, "write `learns`, `receives` or `explicitly`"],
  [/\b(?:gives?|gave|given|giving) back\b/i, "write `returns` or `releases`"],
  [/\bas good as\b/i, "write `nearly`"],
  [/\bin the moment in which\b/i, "write `when`"],
  [/\bcomes? of\b/i, "write `is caused by` or `results from`"],
  [/\b(?:heeds?|heeded|bears|bearing with)\b/i, "write `follows`, `honors`, `handles` or `tolerates`"],
  [/\b(?:is|are|be|was|were) none\b/i, "write `does not exist` or `there are no …`"],
  [/\bsuch as it is\b/i, "leave it out"],
  [/\bif and only if\b/i, "write `only if`"],
];

/** British spellings. `cancelled` keeps its two l's, because it is a name of the contract. */
const BRITISH = [
  [/\b(behavi|col|fav|hon|neighb|rum|lab|endeav|harb)our(s|ed|ing|able|ite|ites|al)?\b/i, "-or"],
  [
    /\b(author|canonical|categor|initial|maxim|minim|normal|optim|organ|prior|recogn|serial|deserial|standard|summar|synchron|token|util|visual)is(e|es|ed|ing|ation|ations)\b/i,
    "-ize",
  ],
  [/\banalys(e|es|ed|ing)\b/i, "-yze"],
  [/\bcancel(ed|ing|able)\b/i, "two l"],
  [/\b(travel|label|model|signal|marshal|tunnel|level|fuel)l(ed|ing)\b/i, "one l"],
  [/\b(licence|defence|offence)s?\b/i, "-se"],
  [/\b(centre|metre|theatre|fibre)s?\b/i, "-er"],
  [/\b(catalogue|dialogue)s?\b/i, "-og"],
  [
    /\b(artefact|grey|whilst|amongst|learnt|spelt|fulfil|fulfils|skilful|judgement|programme)s?\b/i,
    "the American form",
  ],
];

const MAX_WORDS = 40;
const FILE_NAME = /^[\w./-]+\.(?:md|ts|mjs|json|sql|yml|yaml)$/;

/**
 * Reports the first match of each pattern in running text. Code is left alone.
 *
 * @param {readonly (readonly [RegExp, string])[]} patterns
 * @returns {TextlintRuleModule}
 */
function patternRule(patterns) {
  return ({ Syntax, RuleError, report, locator, getSource }) => ({
    [Syntax.Str](node) {
      const text = getSource(node);
      // A link whose text is one word in lower case names a thing of the protocol, such as a problem type.
      if (node.parent?.type === Syntax.Link && /^[a-z-]+$/.test(text)) return;
      for (const [pattern, advice] of patterns) {
        const found = pattern.exec(text);
        if (!found) continue;
        const padding = locator.range([found.index, found.index + found[0].length]);
        report(node, new RuleError(`"${found[0]}": ${advice}`, { padding }));
      }
    },
  });
}

/**
 * Reports what `find` sees in a sentence of a paragraph.
 *
 * @param {(sentence: string) => string | undefined} find
 * @returns {TextlintRuleModule}
 */
function sentenceRule(find) {
  return ({ Syntax, RuleError, report, locator, getSource }) => ({
    [Syntax.Paragraph](paragraph) {
      for (const { index, 0: sentence } of getSource(paragraph).matchAll(SENTENCE)) {
        const message = find(sentence);
        if (message) report(paragraph, new RuleError(message, { padding: locator.at(index) }));
      }
    },
  });
}

/** Up to a mark that ends a sentence, when another one begins behind it. */
const SENTENCE = /\S.*?(?:[.!?:]["*_)`]*(?=\s+["*_(`[]*[A-Z`])|$)/gs;

/** Sentences that take a second reading because of their length. A code mark counts as one word. */
const sentenceLength = sentenceRule((sentence) => {
  const plain = sentence.replaceAll(/`[^`]*`/g, "code").replaceAll(/\]\([^)]*\)/g, "");
  const words = plain.match(/[\p{L}\p{N}][\p{L}\p{N}'’.,/-]*/gu)?.length ?? 0;
  return words > MAX_WORDS ? `a sentence of ${words} words: split it, ${MAX_WORDS} is the limit` : undefined;
});

/** Statements that open with a relative clause: the subject comes first. */
const opening = sentenceRule((sentence) => {
  const [, word] = /^(What|Who|Whose|Where)\b(?!.*\?)/s.exec(sentence) ?? [];
  return word && `a statement that opens with "${word}": begin with its subject`;
});

/** Reports links whose text is a file name: the text says what the reader gets. */
const linkText = /** @type {TextlintRuleModule} */ (
  ({ Syntax, RuleError, report }) => ({
    [Syntax.Link](node) {
      const text = node.children.map(({ value = "" }) => value).join("");
      if (FILE_NAME.test(text))
        report(node, new RuleError(`the link text "${text}" is a file name: say what the reader gets`));
    },
  })
);

export const everywhere = {
  phrases: patternRule(PHRASES),
  spelling: patternRule(BRITISH),
  opening,
  "link-text": linkText,
};
export const onPages = { ...everywhere, "sentence-length": sentenceLength };
