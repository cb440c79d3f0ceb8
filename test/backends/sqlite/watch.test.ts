import type { SqliteBackend } from "async-request-reply/sqlite";
import { createManualClock } from "async-request-reply/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { claimOnce, claimOne, claimOnRing } from "../../support/claims.js";
import { describeFile } from "./per-test.js";
import { newSubmission } from "./submissions.js";

/** Longer than any test may take. */
const NEVER_MS = 3_600_000;

describeFile("wake-ups through an SQLite file", (file) => {
  const { id } = newSubmission(1).operation;

  /** Collects what a back end reports, once it listens. */
  async function watch({ operations, check }: SqliteBackend) {
    const seen: (string | undefined)[] = [];
    const stop = operations.watch?.((changed) => seen.push(changed));
    await check();
    return { seen, stop };
  }

  /** Lets the platform have no modules of Node.js, so that it cannot watch files. */
  function hideModules() {
    const builtin = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    onTestFinished(() => builtin.mockRestore());
  }

  it("start work that another connection accepts, without a poll", async () => {
    const [api, worker] = [file.open(), file.open({ pollIntervalMs: NEVER_MS })];
    const waiting = claimOnRing(worker);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await api.submissions.record(newSubmission(1));
    expect(await waiting).toMatchObject([{ id }]);
  });

  it("tell watchers that another connection ended an operation, until they stop", async () => {
    const [one, other] = [file.open(), file.open({ pollIntervalMs: NEVER_MS })];
    await one.submissions.record(newSubmission(1));
    await one.submissions.record(newSubmission(2));
    const { seen, stop } = await watch(other);
    await one.operations.requestCancel(id, "tenant");
    await expect.poll(() => seen).toEqual([id]);
    stop?.();
    stop?.();
    await one.operations.requestCancel(newSubmission(2).operation.id, "tenant");
    await other.check();
    expect(seen).toEqual([id]);
  });

  it("tell watchers of attempts, progress and retries on another connection", async () => {
    const [one, other] = [file.open(), file.open({ pollIntervalMs: NEVER_MS })];
    await one.submissions.record(newSubmission(1));
    const { seen, stop } = await watch(other);
    const reported = async () => {
      await expect.poll(() => seen).toContain(id);
      seen.length = 0;
    };
    const lease = { operationId: id, token: "first" };
    expect(await claimOnce(one, { token: lease.token })).toHaveLength(1);
    await reported();
    await one.operations.renew(lease, { progress: "1" });
    await reported();
    await one.operations.settle(lease, { to: "retry", delayMs: 0, countAttempt: false });
    await reported();
    await claimOne(one.operations, id, { token: "t", leaseMs: 60_000 });
    await reported();
    stop?.();
  });

  it("tell watchers to look at everything if they missed more changes than are kept", async () => {
    const [one, other] = [file.open(), file.open({ pollIntervalMs: NEVER_MS })];
    await one.submissions.record(newSubmission(1));
    const lease = { operationId: id, token: "t" };
    await claimOne(one.operations, id, { ...lease, leaseMs: 60_000 });
    const { seen, stop } = await watch(other);
    const connection = file.connect();
    connection.exec("begin immediate; update arr_changes set seq = seq + 5000; commit");
    await expect.poll(() => seen).toContain(undefined);
    stop?.();
  });

  it("come with the next poll if the platform cannot watch files", async () => {
    hideModules();
    const clock = createManualClock();
    const [one, other] = [file.open({ runtime: { clock } }), file.open({ runtime: { clock } })];
    await one.submissions.record(newSubmission(1));
    const { seen, stop } = await watch(other);
    // At the start and after a write, it looks several times without a poll.
    await clock.advance(20_000);
    await one.operations.requestCancel(id, "tenant");
    expect(seen).toEqual([]);
    await clock.advance(1_000);
    expect(seen).toContain(id);
    stop?.();
  });

  it("come soon after another write, because an event can come before its write is visible", async () => {
    hideModules();
    const clock = createManualClock();
    const one = file.open({ runtime: { clock } });
    const other = file.open({ runtime: { clock }, pollIntervalMs: NEVER_MS });
    const { seen, stop } = await watch(other);
    for (const number of [1, 2, 3]) {
      const { operation } = newSubmission(number);
      await one.submissions.record(newSubmission(number));
      await one.operations.requestCancel(operation.id, "tenant");
      await clock.advance(10);
      expect(seen).toContain(operation.id);
    }
    stop?.();
  });
});
