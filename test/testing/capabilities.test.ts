import { createMemoryBackend, type Queue } from "async-request-reply";
import type { Delivery } from "async-request-reply/ports";
import {
  createManualClock,
  operationStoreCases,
  type PortCase,
  type QueueHarness,
  queueCases,
  runnableCases,
} from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { receivingBy } from "../support/consumers.js";
import { memoryOperations, memoryQueue } from "../support/memory-harnesses.js";
import { runSuite } from "../support/run-suite.js";
import { overriding } from "./broken/prove.js";

/** Wraps a queue so that it drops announcements it has seen before. */
function deduplicating(queue: Queue): Queue {
  const seen = new Set<string>();
  return overriding(queue, {
    publish: (announcements) =>
      queue.publish(announcements.filter(({ id }) => !seen.has(id) && seen.add(id))),
  });
}

const LEASE_MS = 60_000;

/** Creates queues that read from the store and begin the attempts that they deliver. */
function beginningQueues(): QueueHarness {
  const clock = createManualClock();
  const stores = new WeakMap<Queue, ReturnType<typeof createMemoryBackend>["operations"]>();
  return {
    capabilities: { leaseGranularityMs: 1, skipsTime: true, ordered: true, beginsAttempts: true },
    deliversWithinMs: 1_000,
    passTime: (ms) => clock.advance(ms),
    create: async () => {
      const { queue, operations } = createMemoryBackend({ clock });
      const begin = async (delivery: Delivery, token: string): Promise<readonly Delivery[]> => {
        const { operationId } = delivery.announcement;
        const begun = await operations.beginAttempt(operationId, { token, leaseMs: LEASE_MS });
        return begun.outcome === "begun"
          ? [{ ...delivery, attempt: { lease: { operationId, token }, begun } }]
          : [];
      };
      const answers = new Map<string, readonly Delivery[]>();
      const consume = receivingBy(queue, async (request, consumer) => {
        const { token } = request;
        const known = answers.get(token);
        if (known !== undefined) return known;
        const received = await consumer.receive(request);
        const begun = (await Promise.all(received.map((each) => begin(each, token)))).flat();
        answers.set(token, begun);
        return begun;
      });
      const port = overriding(queue, consume);
      stores.set(port, operations);
      return { port };
    },
    prepare: async (queue, { operationId: id, definition }) => {
      await stores
        .get(queue)
        ?.create({ id, definition, tenant: "tenant-1", input: "null", retentionMs: 1_000 });
    },
  };
}

const deduplicates = memoryQueue(deduplicating);
runSuite("a queue that deduplicates", queueCases, {
  ...deduplicates,
  capabilities: { ...deduplicates.capabilities, deduplicates: true },
});

// This queue carries announcements, so an operation whose attempt was lost does not come back without a sweep.
const ofAnnouncements = queueCases.filter(({ rule }) => rule !== "delivery.suspects");
runSuite("a queue that begins attempts", ofAnnouncements, beginningQueues());

describe("a case that needs missing capabilities", () => {
  const caseWithTwoNeeds: PortCase<QueueHarness> = {
    name: "needs two capabilities",
    rule: "both",
    needs: ["watch", "deduplicates"],
    run: async () => {},
  };

  it("is skipped with the names of the missing capabilities", () => {
    const [both] = runnableCases([caseWithTwoNeeds], {
      ...memoryQueue(),
      capabilities: { leaseGranularityMs: 1, watch: false },
    });
    expect(both).toEqual({ case: caseWithTwoNeeds, skipped: "needs watch, deduplicates" });
  });

  it("runs if no capability is missing", () => {
    const capabilities = { leaseGranularityMs: 1, watch: true, deduplicates: true };
    expect(runnableCases([caseWithTwoNeeds], { ...memoryQueue(), capabilities })).toEqual([
      { case: caseWithTwoNeeds },
    ]);
  });

  it("is an exception: most cases of the operation store run without any capability", () => {
    const cases = runnableCases(operationStoreCases, {
      ...memoryOperations(),
      capabilities: { leaseGranularityMs: 1 },
    });
    const skipped = cases.filter((each) => each.skipped !== undefined).map((each) => each.case.needs);
    expect(new Set(skipped.flat())).toEqual(
      new Set([
        "lanes",
        "limits",
        "skipsTime",
        "jumpsBack",
        "watch",
        "watchCancellations",
        "getMany",
        "list",
        "stats",
        "countPending",
        "redrive",
        "claim",
        "pause",
        "deadlines",
      ]),
    );
    const others = skipped.filter((needs) => !needs?.includes("claim"));
    expect(others.length).toBeLessThan(cases.length / 2);
  });
});

describe("a case", () => {
  it("closes its port, whether it passes or fails", async () => {
    const harness = memoryOperations();
    let open = 0;
    const counting = {
      ...harness,
      create: async () => {
        open += 1;
        const { port } = await harness.create();
        const close = async (): Promise<void> => {
          open -= 1;
        };
        return { port: overriding(port, { get: async () => undefined }), close };
      },
    };
    const outcomes = new Set<string>();
    for (const each of operationStoreCases) {
      outcomes.add(
        await each.run(counting).then(
          () => "passed",
          () => "failed",
        ),
      );
    }
    expect(outcomes).toEqual(new Set(["passed", "failed"]));
    expect(open).toBe(0);
  });
});
