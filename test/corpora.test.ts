import { expect, it } from "vitest";
import { loadCorpus } from "./corpora.js";

it("returns undefined for an unknown corpus", () => {
  expect(loadCorpus("no-such-corpus")).toBeUndefined();
});
