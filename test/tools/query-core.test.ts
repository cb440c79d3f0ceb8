import { existsSync } from "node:fs";
import { join } from "node:path";
import type { QueryClient, TimeoutProvider } from "@tanstack/query-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStage } from "../support/client-stage.js";

const isMissing = !existsSync(join(import.meta.dirname, "node_modules/@tanstack/query-core"));

/** Timers with which TanStack Query refetches. */
const intervals = new Set<unknown>();
const timers: TimeoutProvider<ReturnType<typeof setTimeout>> = {
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer),
  setInterval: (callback, ms) => {
    const timer = setInterval(callback, ms);
    intervals.add(timer);
    return timer;
  },
  clearInterval: (timer) => {
    clearInterval(timer);
    intervals.delete(timer);
  },
};

/** Loads TanStack Query and creates a client that ends with the test. */
async function openQueries() {
  const { environmentManager, QueryClient, QueryObserver, timeoutManager } = await import(
    "@tanstack/query-core"
  );
  // It never refetches on servers, and takes a process without a window for one.
  environmentManager.setIsServer(() => false);
  timeoutManager.setTimeoutProvider(timers);
  const queries: QueryClient = new QueryClient();
  queries.mount();
  onTestFinished(() => {
    queries.clear();
    queries.unmount();
  });
  return { queries, QueryObserver };
}

describe.skipIf(isMissing && !process.env.CI)("an operation in TanStack Query", () => {
  it("shows its progress and its end, and is not fetched any more after that", async () => {
    const { queries, QueryObserver } = await openQueries();
    const { api, requests, finish } = await openStage();
    const op = await api.exports.submit({ accountId: "7" });
    const observer = new QueryObserver(queries, op.queryOptions());
    const shown: unknown[] = [];
    const stop = observer.subscribe(({ data }) => {
      shown.push(data?.status === "pending" ? data.progress?.percent : data?.status);
    });
    onTestFinished(stop);
    await expect.poll(() => shown).toContain(50);
    expect(intervals.size).toBe(1);
    finish("7");
    await expect.poll(() => shown.at(-1)).toBe("completed");
    const { data, isError } = observer.getCurrentResult();
    expect(data).toMatchObject({ status: "completed", result: { url: "/7.csv" } });
    expect([isError, intervals.size]).toEqual([false, 0]);
    const sent = requests.length;
    await observer.refetch();
    expect(requests.length).toBe(sent);
  });

  it("is one query for all of its handles, and shows a failure as data", async () => {
    const { queries, QueryObserver } = await openQueries();
    const { api } = await openStage();
    const op = await api.orders.submit({ itemId: "unicorn", quantity: 1 });
    const again = api.orders.resume(JSON.stringify(op));
    const observers = [op, again].map((handle) => new QueryObserver(queries, handle.queryOptions()));
    for (const observer of observers) onTestFinished(observer.subscribe(() => {}));
    for (const observer of observers)
      await expect.poll(() => observer.getCurrentResult().data).toMatchObject({ status: "failed" });
    expect(queries.getQueryCache().getAll()).toHaveLength(1);
  });

  it("ends its waiting request when no component shows it any more", async () => {
    const { queries, QueryObserver } = await openQueries();
    const { api, requests, finish } = await openStage();
    const op = await api.exports.submit({ accountId: "8" });
    let answered = Number.POSITIVE_INFINITY;
    const stop = new QueryObserver(queries, op.queryOptions()).subscribe(({ data }) => {
      if (data?.status === "pending" && data.progress !== undefined)
        answered = Math.min(answered, requests.length);
    });
    // After the progress, the operation does not change until it finishes.
    await expect.poll(() => requests.length > answered).toBe(true);
    expect(requests.at(-1)?.headers.has("if-none-match")).toBe(true);
    stop();
    await expect.poll(() => requests.at(-1)?.signal.aborted).toBe(true);
    finish("8");
  });
});
