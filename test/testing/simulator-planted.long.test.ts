import { describe, expect, it } from "vitest";
import { expectAtPin, playOn, type Section, SHORT_TRACE } from "./pinned-seeds.js";
import { plantedBackends } from "./planted-backends.js";

const planted = Object.entries(plantedBackends).flatMap(([section, table]) =>
  Object.entries(table).map(([name, each]) => [name, section as Section, each] as const),
);

/** Mistakes whose histories shrink quickly. The others are shrunk when a seed is pinned for them. */
const SHRUNK = [
  "an expired operation is handed out twice",
  "a sweep leaves operations that are overdue",
  "the time of the end changes",
  "a claim ignores earlier attempts",
  "a key is refused for its own payload",
  "a commit writes the effects twice",
];

describe("the simulator", () => {
  it.each(planted)("detects that %s", async (name, section, each) => {
    await expectAtPin(section, name, each, playOn(each.create));
  });

  it.each(planted.filter(([name]) => SHRUNK.includes(name)))(
    "detects that %s, with a short trace",
    async (name, section, each) => {
      const play = playOn(each.create);
      const whole = await expectAtPin(section, name, each, play);
      const short = await expectAtPin(section, name, each, play, { shrink: true });
      expect(short.trace.length).toBeLessThan(Math.min(whole.trace.length, SHORT_TRACE));
    },
  );
});
