import { createMemoryBackend } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { Deadlines } from "../../src/platform/waits.js";
import { KeptLease } from "../../src/protocol/keep-lease.js";

const LEASE_MS = 30_000;

/** Keeps a lease on a clock, and counts its renewals. */
function kept() {
  const clock = createManualClock();
  let renewals = 0;
  const operations = {
    ...createMemoryBackend({ clock }).operations,
    renew: async () => {
      renewals += 1;
      return { outcome: "renewed", cancelRequested: false } as const;
    },
  };
  const holder = { onLost: () => {}, onCancelRequested: () => {}, onRenewalFailed: () => {} };
  const keeping = { operations, clock, deadlines: new Deadlines(clock, 1) };
  const lease = new KeptLease({ operationId: "id", token: "token" }, LEASE_MS, holder, keeping);
  return { clock, lease, renewals: () => renewals };
}

describe("a lease that was paused", () => {
  it("is renewed when it is due, as if it had not been paused", async () => {
    const { clock, lease, renewals } = kept();
    await clock.advance(9_000);
    lease.pause();
    lease.resume();
    expect(renewals()).toBe(0);
    await clock.advance(1_000);
    expect(renewals()).toBe(1);
  });

  it("is renewed at once if a renewal was due or asked for meanwhile", async () => {
    const due = kept();
    due.lease.pause();
    await due.clock.advance(LEASE_MS);
    expect(due.renewals()).toBe(0);
    due.lease.resume();
    expect(due.renewals()).toBe(1);

    const asked = kept();
    asked.lease.pause();
    asked.lease.renew();
    asked.lease.resume();
    expect(asked.renewals()).toBe(1);
  });
});
