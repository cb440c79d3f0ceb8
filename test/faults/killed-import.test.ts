import { expect, it, vi } from "vitest";
import type { OrderProcess } from "./order-processes.js";
import { describeOnEachStore } from "./use-fault-bench.js";

const lists = { count: 8, size: 200 };
const WAIT = { interval: 5 };

/** Returns the number of the list that an item belongs to. */
const listOf = (key = ""): string => key.split("-")[1] ?? "";

describeOnEachStore("an import in lists whose process is killed (F1)", (bench) => {
  /** Operation ids of each list, as the processes reported them. */
  const told: (readonly (readonly string[])[])[] = [];

  async function expectWholeLists(killed: OrderProcess): Promise<void> {
    expect(await killed.exited).toBeNull();
    told.push(killed.imported);
    const sizes = new Map<string, number>();
    for (const { key } of await bench().operations())
      sizes.set(listOf(key), (sizes.get(listOf(key)) ?? 0) + 1);
    for (const size of sizes.values()) expect(size).toBe(lists.size);
  }

  it.each([
    ["before a list is recorded", { crashAt: "before-record-many", crashOn: 2 }],
    ["while a list is recorded", { crashAt: "during-record-many", crashOn: 3 }],
    ["after a list is recorded", { crashAt: "after-record-many", crashOn: 4 }],
    ["while a list that was recorded before is repeated", { crashAt: "during-record-many", crashOn: 2 }],
    ["while a list is announced", { crashAt: "during-publish", crashOn: 1 }],
  ])("%s has recorded each of its lists as a whole or not at all", async (_, crash) => {
    await expectWholeLists(await bench().start({ role: "api", lists, ...crash }));
  });

  it.each([1, 3, 5])(
    "at any moment after list %s has recorded each of its lists as a whole or not at all",
    async (count) => {
      const process = await bench().start({ role: "api", lists });
      await vi.waitUntil(() => process.imported.length >= count, WAIT);
      process.kill("SIGKILL");
      await expectWholeLists(process);
    },
  );

  it("has one operation for each item once it was started again, and the work of each runs once", async () => {
    const process = await bench().start({ role: "all", lists });
    await vi.waitUntil(() => process.imported.length === lists.count, WAIT);
    await bench().expectCompleted([]);
    const operations = await bench().operations();
    expect(operations).toHaveLength(lists.count * lists.size);
    expect(new Set(operations.map(({ key }) => key)).size).toBe(operations.length);
    expect(new Set(process.imported.flat())).toEqual(new Set(operations.map(({ id }) => id)));
    for (const earlier of told) expect(earlier).toEqual(process.imported.slice(0, earlier.length));
    expect(await bench().ledger()).toHaveLength(operations.length);
  });
});
