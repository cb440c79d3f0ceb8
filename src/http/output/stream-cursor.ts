import type { Runtime } from "../../ports/runtime.js";

/** Cursors count intervals since 2024-10-09T00:00:00Z (Durable Streams §10.1). */
const EPOCH_MS = 1_728_432_000_000;
const INTERVAL_MS = 20_000;
const MAX_JITTER_SECONDS = 3_600;

/**
 * Returns the cursor of live replies: the number of the current interval, which changes the key of the reply in caches. It is
 * always greater than the cursor that the client has, so that a client never goes round in a circle of cached replies.
 */
export function cursorAfter(
  given: number | undefined,
  { clock, random }: Pick<Runtime, "clock" | "random">,
): number {
  const current = Math.floor((clock.now() - EPOCH_MS) / INTERVAL_MS);
  if (given === undefined || given < current) return current;
  return given + 1 + Math.floor((random() * MAX_JITTER_SECONDS * 1_000) / INTERVAL_MS);
}
