/**
 * Runs work later and on a schedule. It keeps operations in memory, so they end with the process. With a `backend` that
 * processes share, such as Postgres, operations stay, and any number of processes keep one schedule.
 */
import { createService, createWorker, defineOperation } from "async-request-reply";
import * as z from "zod";

const DAY_MS = 86_400_000;
const purges = defineOperation({ name: "purges", path: "/purges", input: z.object({ file: z.string() }) });
const digests = defineOperation({
  name: "digests",
  path: "/digests",
  input: z.object({ day: z.iso.date() }),
  retentionMs: 2 * DAY_MS, // The key of a day must outlive the day, on the clock of every process.
});
export const service = createService({ definitions: [purges, digests] });
const worker = createWorker(service, {
  purges: ({ file }) => console.log(`deleting ${file}`),
  digests: ({ day }) => console.log(`writing the digest of ${day}`),
});
await worker.start();

/** Deletes the file in 30 days. Until then, `service.cancel` keeps it. */
export function purgeLater(file: string) {
  return service.submit(purges, { file }, { delayMs: 30 * DAY_MS });
}

/** The day is the key: the first call of a day submits, all others replay. So call it often. */
export function submitDigest() {
  const day = new Date().toISOString().slice(0, 10);
  return service.submit(digests, { day }, { key: day });
}
setInterval(() => submitDigest().catch(console.error), 60_000);
