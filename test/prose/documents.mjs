import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import ts from "typescript";

/**
 * A piece of prose in Markdown.
 *
 * @typedef {object} Document
 * @property {string} path File that holds it.
 * @property {number} line First line of it in the file, from 1.
 * @property {string} text
 * @property {"page" | "comment" | "string"} kind
 */

const PAGES = new Set([".md"]);
const SOURCES = new Set([".ts", ".mjs"]);

/** Lists the files under version control that hold prose. Generated change logs and test data are not prose. */
export function proseFiles() {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    encoding: "utf8",
  });
  return files
    .split("\0")
    .filter((path) => PAGES.has(extname(path)) || SOURCES.has(extname(path)))
    .filter((path) => path !== "CHANGELOG.md" && !path.startsWith("test/prose/"));
}

/**
 * Reads the prose of a file: a whole Markdown page, or the comments, messages and test names of a program.
 *
 * @param {string} path
 * @returns {Document[]}
 */
export function documentsOf(path) {
  const text = readFileSync(path, "utf8");
  if (PAGES.has(extname(path))) return [{ path, line: 1, text, kind: "page" }];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return [...commentsOf(source), ...stringsOf(source)];
}

/**
 * @param {ts.SourceFile} source
 * @returns {Document[]}
 */
function commentsOf(source) {
  const { fileName: path, text } = source;
  const lineOf = (/** @type {number} */ position) => source.getLineAndCharacterOfPosition(position).line + 1;
  /** @type {Document[]} */
  const documents = [];
  let lastLine = 0;
  for (const { pos, end } of commentRanges(source)) {
    const comment = text.slice(pos, end);
    const previous = documents.at(-1);
    if (comment.startsWith("//") && previous && lastLine === lineOf(pos) - 1) {
      previous.text += `\n${withoutMarks(comment)}`;
    } else {
      documents.push({ path, line: lineOf(pos), text: withoutMarks(comment), kind: "comment" });
    }
    lastLine = comment.startsWith("//") ? lineOf(pos) : 0;
  }
  return documents;
}

/**
 * The strings that are sentences for people: the messages of `src` and the names of tests. Other strings are data.
 *
 * @param {ts.SourceFile} source
 * @returns {Document[]}
 */
function stringsOf(source) {
  const inLibrary = source.fileName.startsWith("src/");
  /** @type {Document[]} */
  const documents = [];
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      if (isSentence(node.text) && (inLibrary || isTestName(node))) {
        documents.push({ path: source.fileName, line, text: node.text, kind: "string" });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return documents;
}

/** @param {string} text */
function isSentence(text) {
  return (text.match(/[a-z]+ /gi) ?? []).length >= 2;
}

/** @param {ts.Node} node */
function isTestName({ parent }) {
  return ts.isCallExpression(parent) && /^(?:it|test|describe)\b/.test(parent.expression.getText());
}

/** @param {ts.SourceFile} source */
function commentRanges(source) {
  const text = source.getFullText();
  /** @type {Map<number, ts.CommentRange>} */
  const ranges = new Map();
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length > 0) return children.forEach(visit);
    const around = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const range of around) ranges.set(range.pos, range);
  };
  visit(source);
  return [...ranges.values()].sort((one, other) => one.pos - other.pos);
}

/** Removes the marks of a comment and keeps its lines, so that a line of the text is a line of the file. */
function withoutMarks(/** @type {string} */ comment) {
  return comment
    .replace(/\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*(?:\/\*\*?|\/\/+|\*)\s?/, ""))
    .join("\n");
}
