/** Returns the time on a clock that all processes of this machine share. Milliseconds. */
export function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}
