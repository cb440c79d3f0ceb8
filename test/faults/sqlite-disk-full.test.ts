import { appendFileSync, statfsSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it, vi } from "vitest";
import { canMountTmpfs } from "../support/tmpfs.js";
import { errorsOf } from "./order-processes.js";
import { idsOf, keysOf, newOrder, readOnce, type SentOrder, send, sendAll, sendOnce } from "./orders.js";
import { useSqliteBench } from "./use-fault-bench.js";

const longItem = (key: string): { readonly itemId: string } => ({ itemId: `${key}-${"x".repeat(200)}` });
/** Cancels an operation. Returns the status. */
const cancel = async (id: string, baseUrl: string): Promise<number> =>
  (await fetch(`${baseUrl}/operations/${id}`, { method: "DELETE" })).status;

describe.skipIf(!canMountTmpfs())("an SQLite file on a full disk, which only root can mount (F19)", () => {
  const bench = useSqliteBench({ diskMegabytes: 4 });

  it("leads to 503, everything committed can be read, and a little room is enough to cancel and purge", async () => {
    // None of the processes is restarted.
    const api = await bench().start({ role: "api", definition: { cancellable: true } });
    const brief = await bench().start({ role: "api", definition: { retentionMs: 3_000 } });
    const expiring = await sendAll(keysOf("brief", 50), () => brief.baseUrl);
    const worker = await bench().start({ role: "worker" });
    await bench().untilTerminal();
    worker.kill("SIGSTOP");
    const cancelled = await send("cancelled", () => api.baseUrl);
    const [id = ""] = idsOf(cancelled);

    const disk = fillDisk(bench().folder);
    const tried: SentOrder[] = [];
    // The first orders may still fit into the log.
    for (const key of keysOf("full", 100)) {
      const order = newOrder(key);
      tried.push(order);
      if ((await sendOnce(order, api.baseUrl, longItem(key))) !== 202) break;
    }
    const problems = [problemType("unavailable")];
    expect(tried.at(-1)).toMatchObject({ statuses: [503], problems, missingRetryAfter: 0 });
    await expect.poll(() => errorsOf(api).at(-1) ?? "").toContain("Free space on its disk");
    disk.fillAgain();
    const accepted = idsOf(...expiring, cancelled, ...tried);
    const reads = await Promise.all(accepted.map((id) => readOnce(id, api.baseUrl)));
    expect(reads.filter((read) => typeof read === "number")).toEqual([]);
    expect(await bench().operations()).toHaveLength(accepted.length);
    expect(await cancel(id, api.baseUrl)).toBe(503);
    worker.kill("SIGCONT");
    await vi.waitUntil(() => errorsOf(worker).length > 0);
    worker.kill("SIGSTOP");
    expect(await bench().operations()).toHaveLength(accepted.length);

    disk.freeSome();
    expect(await cancel(id, api.baseUrl)).toBe(200);
    worker.kill("SIGCONT");
    const expired = new Set(idsOf(...expiring));
    const isPurged = async (): Promise<boolean> =>
      (await bench().operations()).every(({ id }) => !expired.has(id));
    await vi.waitUntil(isPurged);

    disk.freeAll();
    const after = await Promise.all(tried.map(({ key }) => send(key, () => api.baseUrl, longItem(key))));
    await bench().untilTerminal();
    const completed = (await bench().operations()).filter(({ state }) => state === "completed");
    expect(completed.map(({ id }) => id).sort()).toEqual([...idsOf(...after)].sort());
    // Orders that were accepted before have kept their operations.
    expect(idsOf(...after)).toEqual(expect.arrayContaining([...idsOf(...tried)]));
    expect(await bench().effects()).toHaveLength(expiring.length + after.length);
    await bench().expectIntact();
  });
});

/** Fills the file system of a folder. */
function fillDisk(folder: string): Record<"fillAgain" | "freeSome" | "freeAll", () => void> {
  const [small, large] = [join(folder, "filling-small"), join(folder, "filling-large")];
  const fillAgain = (): void => {
    const { bavail, bsize } = statfsSync(folder);
    appendFileSync(large, new Uint8Array(bavail * bsize));
  };
  appendFileSync(small, new Uint8Array(512 * 1_024));
  fillAgain();
  return { fillAgain, freeSome: () => unlinkSync(small), freeAll: () => unlinkSync(large) };
}
