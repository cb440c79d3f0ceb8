import { type Backend, createService, createWorker, defineOperation } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { expect, it, vi } from "vitest";
import * as z from "zod";

const reports = defineOperation({ name: "reports", path: "/reports", input: z.string() });
const definitions = [reports] as const;

/** Declares that a pause holds in all processes. `open` opens the same store for another process. */
export function declarePauseOfProcesses(open: () => Backend | Promise<Backend>): void {
  async function start() {
    const backend = await open();
    const service = createService({ definitions, backend, observe: false });
    const begun: string[] = [];
    const worker = createWorker(service, { reports: (name) => void begun.push(name) });
    const operator = createOperator({ definitions, backend, observe: false });
    return {
      worker,
      operator,
      begun,
      submit: (name: string) => service.submit(reports, name),
      close: async () => {
        await worker.stop();
        await service.close();
        await backend.close();
      },
    };
  }

  it("holds in every process, and ends in every process", async () => {
    const [here, there] = [await start(), await start()];
    await there.worker.start();
    await here.submit("before");
    await vi.waitUntil(() => there.begun.length === 1);
    await here.operator.pause("reports", { by: "ann" });
    await here.submit("from here");
    await there.submit("from there");
    // Ends without beginning anything, after it has looked.
    await here.worker.runUntilIdle();
    expect([...here.begun, ...there.begun]).toEqual(["before"]);
    await here.operator.resume("reports");
    await vi.waitUntil(() => there.begun.length === 3);
    expect(there.begun).toEqual(["before", "from here", "from there"]);
    await here.close();
    await there.close();
  });

  it("survives the end of all processes", async () => {
    const first = await start();
    await first.operator.pause("reports", { by: "ann" });
    await first.submit("kept");
    await first.close();
    const second = await start();
    await second.worker.runUntilIdle();
    expect(second.begun).toEqual([]);
    expect(await second.operator.stats()).toMatchObject([{ due: { count: 1 }, paused: { by: "ann" } }]);
    await second.operator.resume("reports");
    await second.worker.runUntilIdle();
    expect(second.begun).toEqual(["kept"]);
    await second.close();
  });
}
