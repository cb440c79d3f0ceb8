import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** One case of a corpus. `base64` contains exact bytes; `raw` and `value` are used if bytes do not matter. */
export interface CorpusCase {
  readonly name: string;
  readonly verdict: string;
  readonly base64?: string;
  readonly raw?: readonly string[];
  readonly value?: string;
  readonly expected?: unknown;
}

const folder = process.env.CORPORA_DIR ?? join(import.meta.dirname, "../../../shared/corpora");

/** Reads `<CORPORA_DIR>/<name>.json`. Returns `undefined` if the file does not exist. */
export function loadCorpus(name: string): readonly CorpusCase[] | undefined {
  const file = join(folder, `${name}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as CorpusCase[]) : undefined;
}

/** Declares tests over a corpus. Without the corpus they are skipped by name, or fail if `CI` is set. */
export function describeCorpus(name: string, declare: (cases: readonly CorpusCase[]) => void): void {
  const cases = loadCorpus(name);
  if (cases !== undefined) {
    describe(`corpus ${name}`, () => declare(cases));
  } else {
    it.skipIf(!process.env.CI)(`corpus ${name}`, () => {
      expect.unreachable(
        `Corpus ${name} is missing. Set CORPORA_DIR to the folder that contains ${name}.json.`,
      );
    });
  }
}
