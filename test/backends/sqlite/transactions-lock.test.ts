import type { Lease, SynchronousTransactions } from "async-request-reply/ports";
import { beforeEach, expect, it } from "vitest";
import { claimOnce, claimOne } from "../../support/claims.js";
import type { OpenDatabase } from "../../support/sqlite/clients.js";
import { write } from "../../support/sqlite/transaction-stage.js";
import { describeStage } from "./per-test.js";
import { newSubmission } from "./submissions.js";

const LOCK_TIMEOUT_MS = 50;

const options = { synchronous: "full", maxBatch: 2, lockTimeoutMs: LOCK_TIMEOUT_MS } as const;

describeStage("transactions and the lock of an SQLite file", options, (stage) => {
  let synchronous: SynchronousTransactions;
  let ran: number[];
  beforeEach(() => {
    synchronous = stage.backend.submissions.synchronous as SynchronousTransactions;
    ran = [];
  });

  /** Records an operation and begins its attempt. */
  async function begun(number: number) {
    const { operation } = newSubmission(number);
    await stage.backend.submissions.record(newSubmission(number));
    await claimOne(stage.backend.operations, operation.id, { token: "token", leaseMs: 60_000 });
    return { operationId: operation.id, token: "token" };
  }

  function settle(number: number, lease: Lease, signal?: AbortSignal) {
    const work = (database: unknown): { readonly to: "completed" } => {
      ran.push(number);
      write(database as OpenDatabase, String(number));
      return { to: "completed" };
    };
    return synchronous.settle(lease, work, signal === undefined ? {} : { signal });
  }

  function lock() {
    const other = stage.file.connect();
    other.exec("begin immediate");
    return other;
  }

  it("wait without blocking, and call the function once, after the other connection has committed", async () => {
    const lease = await begun(1);
    const other = lock();
    const settling = settle(1, lease);
    await stage.clock.advance(LOCK_TIMEOUT_MS / 2);
    expect(ran).toEqual([]);
    other.exec("commit");
    await stage.clock.advance(LOCK_TIMEOUT_MS / 2);
    expect(await settling).toEqual({ outcome: "settled", state: "completed" });
    expect([ran, stage.effects()]).toEqual([[1], ["1"]]);
  });

  it("give up after `lockTimeoutMs` without calling the function, certain that nothing was written", async () => {
    const lease = await begun(1);
    const other = lock();
    let isOver = false;
    const settling = settle(1, lease)
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true;
      });
    while (!isOver) await stage.clock.advance(10);
    expect(await settling).toMatchObject({ code: "STORE_UNAVAILABLE", context: { recorded: "no" } });
    other.exec("commit");
    await stage.clock.advance(1_000);
    expect(ran).toEqual([]);
  });

  it("never call the function after their signal was aborted, and let other calls proceed", async () => {
    const [first, second] = [await begun(1), await begun(2)];
    const other = lock();
    const stopping = new AbortController();
    const reason = new Error("the worker stops");
    const settling = settle(1, first, stopping.signal).catch((error: unknown) => error);
    const submitting = stage.backend.submissions.record(newSubmission(3));
    await stage.clock.advance(10);
    stopping.abort(reason);
    expect(await settling).toBe(reason);
    expect(await settle(2, second, stopping.signal).catch((error: unknown) => error)).toBe(reason);
    other.exec("commit");
    await stage.clock.advance(100);
    expect(await submitting).toEqual({ outcome: "created" });
    expect(ran).toEqual([]);
  });

  it("take turns with the transactions that other calls share", async () => {
    const leases = await Promise.all([1, 2, 3, 4].map(begun));
    const order: string[] = [];
    const note = (name: string) => (): void => void order.push(name);
    await Promise.all([
      ...leases.map((lease, index) => settle(index, lease).then(note("settled"))),
      ...[11, 12, 13, 14].map((number) =>
        stage.backend.submissions.record(newSubmission(number)).then(note("recorded")),
      ),
    ]);
    const [s, r] = ["settled", "recorded"];
    expect(order).toEqual([s, r, r, s, r, r, s, s]);
  });

  it("fail alone: submissions of the same turn are recorded", async () => {
    const lease = await begun(1);
    const oops = new Error("oops");
    const failing = synchronous.settle(lease, (database) => {
      write(database as OpenDatabase, "undone");
      throw oops;
    });
    const submitting = stage.backend.submissions.record(newSubmission(2));
    await expect(failing).rejects.toBe(oops);
    expect(await submitting).toEqual({ outcome: "created" });
    expect(stage.effects()).toEqual([]);
    expect(await settle(1, lease)).toMatchObject({ outcome: "settled" });
  });

  it("are `lost` for a second call with the same lease, whose function does not run", async () => {
    const lease = await begun(1);
    expect(await settle(1, lease)).toMatchObject({ outcome: "settled" });
    expect(await settle(2, lease)).toEqual({ outcome: "lost" });
    expect(await settle(3, { ...lease, operationId: "unknown" })).toEqual({ outcome: "lost" });
    expect([ran, stage.effects()]).toEqual([[1], ["1"]]);
  });

  it("wait for the disk as configured, also after commits that do not", async () => {
    const waits = () => stage.database.prepare("pragma synchronous").all();
    await stage.backend.submissions.record(newSubmission(1));
    const full = waits();
    expect(full).toEqual([{ synchronous: 2 }]);
    await claimOnce(stage.backend);
    expect(waits()).toEqual(full);
  });
});
