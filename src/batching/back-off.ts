import { sleep } from "../platform/waits.js";
import type { Runtime } from "../ports/runtime.js";

/** How often a call or a transaction that meets conflicts is tried. */
export const MAX_TRIES = 5;
/** How often a call is repeated on another connection after its own was lost. */
export const MAX_RECONNECTS = 2;

const PAUSE_MS = 20;

/** Waits before the next try: a random time, up to 40 ms after the first try and twice as long after each further one. */
export function backOff(tries: number, { clock, random }: Pick<Runtime, "clock" | "random">): Promise<void> {
  return sleep(PAUSE_MS * 2 ** tries * random(), clock);
}
