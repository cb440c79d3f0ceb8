import { shortenedTo } from "../contract/plain-text.js";

/** Takes the place of every variable part. One for all kinds, because an id can be digits only by chance. */
const PLACEHOLDER = "*";

/** Bounds the work. As long as the longest message of a processor's error. UTF-16 code units. */
const MAX_READ = 1_024;
/** The ends of long messages differ, because they were cut after ids of different lengths. UTF-16 code units. */
const MAX_LENGTH = 256;

// No pattern here can backtrack over more than its own match, so masking takes linear time.

/** Text in double or single quotes. A quote after a letter is an apostrophe. */
const QUOTED = /(?<![\p{L}\p{N}])(["'])(?:(?!\1)[^\n])+\1(?![\p{L}\p{N}])/gu;
const TOKEN = /[^\s"'`()<>[\]{};|]+/gu;
/** Numbers, dates, addresses of machines and people, UUIDs and other ids are words in this sense. */
const WORD = /[\p{L}\p{N}\p{M}_]+(?:(?:[-.+@%]|(?<=\p{N}),(?=\p{N}))[\p{L}\p{N}\p{M}_]+)*/gu;
/** A digit, an email address, or letters that can only be hexadecimal. */
const VARIABLE = /\p{N}|@|^[a-f]{8,}$/iu;

/**
 * Replaces the parts of a message that differ between occurrences of one failure with `*`: quoted text, the query of a
 * URL, and each word with a digit, such as a number or an id. Shortens it to 256 UTF-16 code units. Takes linear time.
 */
export function maskMessage(message: string): string {
  const masked = shortenedTo(message, MAX_READ)
    .replace(QUOTED, `$1${PLACEHOLDER}$1`)
    .replace(TOKEN, maskToken)
    .replaceAll(/\s+/g, " ")
    .trim();
  return shortenedTo(masked, MAX_LENGTH).toWellFormed();
}

function maskToken(token: string): string {
  const query = token.includes("/") ? token.search(/[?#]/) + 1 : 0;
  const hasQuery = query > 0 && query < token.length;
  return hasQuery ? maskWords(token.slice(0, query)) + PLACEHOLDER : maskWords(token);
}

function maskWords(token: string): string {
  return token.replace(WORD, (word) => (VARIABLE.test(word) ? PLACEHOLDER : word));
}
