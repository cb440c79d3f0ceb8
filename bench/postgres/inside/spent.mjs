import { cpuUsOf } from "../servers/private-server.mjs";

/** Begins to measure wall time, and the CPU time of this process and of the servers that it uses. */
export function beginSpending(pids) {
  const cpuBefore = cpuUs(pids);
  const startedAt = performance.now();
  /** What was spent until now, for each of so many calls. */
  return (calls) => ({
    wallUs: ((performance.now() - startedAt) * 1e3) / calls,
    cpuUs: (cpuUs(pids) - cpuBefore) / calls,
  });
}

function cpuUs(pids) {
  const { user, system } = process.cpuUsage();
  return pids.reduce((sum, pid) => sum + cpuUsOf(pid), user + system);
}

/** What loses work must not count as fast. */
export function expectCount(what, count, expected) {
  if (count !== expected) throw new Error(`${count} ${what} instead of ${expected}`);
}
