import type { History } from "./history.js";

const MAX_REPLAYS = 300;

/**
 * Searches for a shorter history with a violation. First it drops the last steps, which are then replaced by
 * uneventful ones. Then it removes ranges of steps, or makes them uneventful.
 */
export async function shrink(
  failing: History,
  replay: (choices: History["choices"]) => Promise<History>,
): Promise<History> {
  let best = failing;
  let replays = 0;
  const attempt = async (choices: History["choices"]): Promise<boolean> => {
    replays += 1;
    const history = await replay(choices);
    // Fewer choices can produce a longer trace, and the trace is what people read.
    if (history.violations.length === 0 || history.trace.length > best.trace.length) return false;
    best = { ...history, choices };
    return true;
  };

  for (let length = best.choices.length >> 1; length > 0 && replays < MAX_REPLAYS; length >>= 1) {
    const shorter = best.choices.slice(0, best.choices.length - length);
    if (await attempt(shorter)) length = Math.min(length * 2, best.choices.length);
  }
  for (let before = 0; before !== best.trace.length && replays < MAX_REPLAYS; ) {
    before = best.trace.length;
    for (let size = best.choices.length >> 2; size > 0; size >>= 1) await leaveOut(size);
  }
  return best;

  async function leaveOut(size: number): Promise<void> {
    for (let start = 0; start < best.choices.length && replays < MAX_REPLAYS; start += size) {
      if (await attempt(best.choices.toSpliced(start, size))) continue;
      const end = start + size;
      const uneventful = best.choices.map((step, index) => (index >= start && index < end ? [] : step));
      const wasUneventful = best.choices
        .slice(start, end)
        .every((step) => step.every((choice) => choice === 0));
      if (!wasUneventful) await attempt(uneventful);
    }
  }
}
