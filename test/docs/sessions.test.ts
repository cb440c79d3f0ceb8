import { describe, expect, it } from "vitest";
import { blocksOf, pages } from "../support/pages.js";
import { createStage, perform } from "./session.js";
import { stepsOf } from "./steps.js";

// The examples have their own tests. So do the quick start and the guide: test/runtimes/quick-starts.test.ts and
// test/servers/guide.test.ts.
const sessions = pages
  .filter(({ path }) => !/^(examples\/|docs\/(quick-start|guide)\.md)/.test(path))
  .map((page) => ({ path: page.path, blocks: blocksOf(page, "console") }))
  .filter(({ blocks }) => blocks.length > 0);

describe("the curl sessions", () => {
  it.each(sessions)("match the replies of the service: $path", async ({ blocks }) => {
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

  it("include one in the README", () => {
    expect(sessions.map(({ path }) => path)).toContain("README.md");
  });
});
