import { TextlintKernel } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import { documentsOf, proseFiles } from "./documents.mjs";
import { everywhere, onPages } from "./rules.mjs";

const kernel = new TextlintKernel();
const plugins = [{ pluginId: "markdown", plugin: markdown.default ?? markdown }];

/**
 * Checks one piece of prose.
 *
 * @param {import("./documents.mjs").Document} document
 */
export async function lint({ path, line, text, kind }) {
  const rules = Object.entries(kind === "page" ? onPages : everywhere).map(([ruleId, rule]) => ({
    ruleId,
    rule,
  }));
  const { messages } = await kernel.lintText(text, { ext: ".md", filePath: path, plugins, rules });
  return messages.map(
    ({ loc, message, ruleId }) => `${path}:${line + loc.start.line - 1} ${message} (${ruleId})`,
  );
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const files = process.argv.length > 2 ? process.argv.slice(2) : proseFiles();
  const found = (await Promise.all(files.flatMap(documentsOf).map(lint))).flat();
  for (const each of found) console.log(each);
  console.log(`${files.length} files, ${found.length} sentences to mend`);
  if (found.length > 0) process.exitCode = 1;
}
