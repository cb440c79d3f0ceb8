import { cpuUsOf } from "../servers/private-server.mjs";

/** Starts to measure wall time and the CPU time of this process and its servers. */
export function beginSpending(pids) {
  const cpuBefore = cpuUs(pids);
  const startedAt = performance.now();
  /** Returns the time spent so far, divided by the number of calls. */
  return (calls) => ({
    wallUs: ((performance.now() - startedAt) * 1e3) / calls,
    cpuUs: (cpuUs(pids) - cpuBefore) / calls,
  });
}

function cpuUs(pids) {
  const { user, system } = process.cpuUsage();
  return pids.reduce((sum, pid) => sum + cpuUsOf(pid), user + system);
}

/** Throws if work was lost, because losing work must not count as fast. */
export function expectCount(what, count, expected) {
  if (count !== expected) throw new Error(`${count} ${what} instead of ${expected}`);
}
