import { expect, it } from "vitest";
import { loadCorpus } from "./support/corpora.js";

it("returns undefined for an unknown corpus", () => {
  expect(loadCorpus("no-such-corpus")).toBeUndefined();
});
