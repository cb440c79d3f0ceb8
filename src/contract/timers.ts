/** Longest delay of a timer: 24.8 days. A timer with a longer delay would fire at once. Milliseconds. */
export const MAX_TIMER_MS = 2_147_483_647;
