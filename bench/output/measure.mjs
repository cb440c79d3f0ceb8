import { quantile } from "../postgres/report.mjs";

/** So that readers have connected, and the first chunks compile nothing. */
const WARM_UP_MS = 1_000;

/**
 * Lets operations write chunks at random times, with `each` readers of every operation. Returns the time from the write to a reader
 * in another process, CPU time for each chunk that was written, and what was not received.
 */
export async function measureOutput(variant, { operations, perSecond, seconds, each = 1 }) {
  const { port, paths } = await variant.api("begin", { operations });
  await variant.worker("begun", { operations });
  await variant.readers("connect", { port, paths: paths.flatMap((path) => Array(each).fill(path)) });
  await variant.worker("write", { perSecond, ms: WARM_UP_MS });
  await variant.readers("forget");
  const readsBefore = await variant.api("reads");
  const before = await variant.cpuUs();
  const { written, lateMs } = await variant.worker("write", { perSecond, ms: seconds * 1_000 });
  const { latenciesMs, missing } = await variant.readers("received", { count: written * each });
  if (latenciesMs.length === 0) throw new Error(`${variant.name}: readers received nothing`);
  const cpuUs = ((await variant.cpuUs()) - before) / written;
  const reads = (await variant.api("reads")) - readsBefore;
  await variant.worker("end");
  await variant.readers("closed");
  return {
    cpuUs,
    written,
    missing,
    reads,
    lateMs,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    wallUs: quantile(latenciesMs, 0.5) * 1e3,
  };
}
