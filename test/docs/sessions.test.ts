import { describe, expect, it } from "vitest";
import { blocksOf, pages } from "./pages.js";
import { createStage, perform } from "./session.js";
import { stepsOf } from "./steps.js";

// The examples have tests of their own, and so have the quick starts: test/runtimes/quick-starts.test.ts.
const sessions = pages
  .filter(({ path }) => !/^(examples|docs\/quick-start)\//.test(path))
  .map((page) => ({ path: page.path, blocks: blocksOf(page, "console") }))
  .filter(({ blocks }) => blocks.length > 0);

describe("the sessions with curl", () => {
  it.each(sessions)("show what the service answers: $path", async ({ blocks }) => {
    const stages = new Map<string | undefined, ReturnType<typeof createStage>>();
    for (const { place, info, text } of blocks) {
      const variant = info[1];
      const stage = stages.get(variant) ?? createStage(variant);
      stages.set(variant, stage);
      for (const step of stepsOf(text)) {
        expect(await perform(stage, step), `${place} ${step.input}`).toEqual(step.shown);
      }
    }
  });

  it("begin in the README", () => {
    expect(sessions.map(({ path }) => path)).toContain("README.md");
  });
});
