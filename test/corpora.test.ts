import { expect, it } from "vitest";
import { loadCorpus } from "./corpora.js";

it("has no corpus of an unknown name", () => {
  expect(loadCorpus("no-such-corpus")).toBeUndefined();
});
