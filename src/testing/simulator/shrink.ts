import type { History } from "./history.js";

const MAX_REPLAYS = 300;

/**
 * Looks for a shorter history with a violation: by cutting the choices off after which all is dull, then by making
 * single stretches of them dull.
 */
export async function shrink(
  failing: History,
  replay: (choices: readonly number[]) => Promise<History>,
): Promise<History> {
  let best = failing;
  let replays = 0;
  const attempt = async (choices: readonly number[]): Promise<boolean> => {
    replays += 1;
    const history = await replay(choices);
    if (history.violations.length === 0) return false;
    best = { ...history, choices };
    return true;
  };

  for (let length = best.choices.length >> 1; length > 0 && replays < MAX_REPLAYS; length >>= 1) {
    const shorter = best.choices.slice(0, best.choices.length - length);
    if (await attempt(shorter)) length = Math.min(length * 2, best.choices.length);
  }
  for (let size = best.choices.length >> 2; size > 0 && replays < MAX_REPLAYS; size >>= 1) {
    for (let start = 0; start < best.choices.length && replays < MAX_REPLAYS; start += size) {
      const dull = best.choices.map((choice, index) => (index >= start && index < start + size ? 0 : choice));
      if (dull.some((choice, index) => choice !== best.choices[index])) await attempt(dull);
    }
  }
  return best;
}
