import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { parse as parseLossless } from "lossless-json";
import { documents } from "./documents.mjs";

/** Measures strict parsing against `JSON.parse` and against another strict parser. */
export async function strictJson() {
  const parseStrict = await bundledParser();
  return documents.map(({ size, text }) => {
    const subject = (name, parse) => ({
      name,
      // Awaiting each call would cost as much as a short parse.
      begin: () => (texts) => {
        for (const one of texts) parse(one);
      },
      input: () => text,
    });
    const native = subject("JSON.parse", (one) => JSON.parse(one));
    const strict = subject("strict parser", (one) => parseStrict(one, { maxDepth: 32 }));
    const lossless = subject("lossless-json", (one) => parseLossless(one));
    assert.deepEqual(parseStrict(text, { maxDepth: 32 }), JSON.parse(text));
    const goals = [
      { goal: "G5", of: strict.name, to: lossless.name, atLeast: 1.8 },
      { goal: "G5", of: strict.name, to: native.name, atMost: 2 },
    ];
    return { title: `G5: strict JSON, ${size}`, subjects: [native, strict, lossless], goals };
  });
}

/** Bundles the parser from its source, because the package does not export it. */
async function bundledParser() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../src/formats/json.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    target: "node20",
    write: false,
  });
  const source = Buffer.from(outputFiles[0].contents).toString("base64");
  const { parseStrictJson } = await import(`data:text/javascript;base64,${source}`);
  return parseStrictJson;
}
