import {
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type Job,
  type Queue,
  type Service,
  withQueue,
} from "async-request-reply";
import type { Announcement } from "async-request-reply/ports";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { receiveOnce, receivingBy } from "../support/consumers.js";
import { inside } from "../support/inside.js";

// Messages are untrusted input (docs/security.md): access to the queue lets an attacker wake a worker and nothing else.

const UNKNOWN = "01980000-0000-7000-8000-000000000000";
const input = z.object({ text: z.string() });
const definitions = [
  defineOperation({ name: "reports", path: "/reports", input }),
  defineOperation({ name: "exports", path: "/exports", input }),
] as const;

interface Run {
  readonly processor: string;
  readonly tenant: string;
  readonly attempt: number;
  readonly input: unknown;
}

let clock: ManualClock;
let backend: Backend;
let service: Service<typeof definitions>;
let runs: Run[];
/** The acks and nacks of all deliveries. */
let settlements: string[];

beforeEach(() => {
  clock = createManualClock();
  runs = [];
  settlements = [];
  const memory = createMemoryBackend({ clock });
  backend = withQueue(memory, watched(memory.queue));
  const authorize = (): { id: string } => ({ id: "tenant-1" });
  service = createService({
    definitions: definitions,
    backend,
    authorize,
    runtime: { clock, random: () => 0.5 },
  });
});

function watched(queue: Queue): Queue {
  const recorded = (settlement: string, settle: () => Promise<void>) => (): Promise<void> => {
    settlements.push(settlement);
    return settle();
  };
  return {
    publish: (announcements) => queue.publish(announcements),
    ...receivingBy(queue, async (request, consumer) =>
      (await consumer.receive(request)).map(({ announcement, ack, nack }) => ({
        announcement,
        ack: recorded("ack", ack),
        nack: recorded("nack", nack),
      })),
    ),
    close: () => queue.close(),
  };
}

async function work(names: readonly ("reports" | "exports")[] = ["reports", "exports"]): Promise<void> {
  const processorOf =
    (processor: string) =>
    (value: unknown, { tenant, attempt }: Job) =>
      void runs.push({ processor, tenant, attempt, input: value });
  const processors = Object.fromEntries(names.map((name) => [name, processorOf(name)]));
  await createWorker(service, processors).runUntilIdle();
}

async function submit(path: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const { body } = await service.handle({ method: "POST", path, headers, body: '{"text":"x"}' });
  return (JSON.parse(String(body)) as { operationId: string }).operationId;
}

const genuine = (operationId: string): Announcement => ({
  version: 1,
  id: `${operationId}.forged`,
  operationId,
  definition: "reports",
});

const forgeries: Readonly<Record<string, (operationId: string) => unknown>> = {
  "no version": (id) => ({ ...genuine(id), version: undefined }),
  "another version": (id) => ({ ...genuine(id), version: 2 }),
  "a version that is text": (id) => ({ ...genuine(id), version: "1" }),
  "no operation": (id) => ({ ...genuine(id), operationId: undefined }),
  "an operation that is a list": (id) => ({ ...genuine(id), operationId: [id] }),
  "an id in capital letters": (id) => ({ ...genuine(id), operationId: id.toUpperCase() }),
  "SQL in place of an id": (id) => ({ ...genuine(id), operationId: `${id}'; DROP TABLE operations; --` }),
  "an id of a megabyte": (id) => ({ ...genuine(id), id: "x".repeat(1_000_000) }),
  "an empty id": (id) => ({ ...genuine(id), id: "" }),
  "no id": (id) => ({ ...genuine(id), id: undefined }),
};

describe("S20: a message that is not an announcement", () => {
  it.each(Object.entries(forgeries))("starts no work and is not redelivered: %s", async (_, forge) => {
    const id = await submit("/reports");
    await inside(service).announcer.published();
    // The genuine announcement is removed, so that only the forged one could start the work.
    await receiveOnce(backend.queue, { definitions: ["reports"] });
    await backend.queue.publish([forge(id) as Announcement]);
    for (let round = 0; round < 5; round += 1) {
      await work();
      await clock.advance(2_000);
    }
    expect(runs).toEqual([]);
    // It is acknowledged: a redelivery would not change the outcome.
    expect(settlements).toEqual(["ack"]);
    await clock.advance(30_000);
    await work();
    expect(runs).toHaveLength(1);
  });

  it("does not block the messages behind it", async () => {
    await backend.queue.publish([{ ...genuine(UNKNOWN), version: 7 } as never, genuine(UNKNOWN)]);
    await submit("/reports");
    await work();
    expect(runs).toHaveLength(1);
  });
});

describe("S20: a well-formed but wrong announcement", () => {
  it("does nothing if the operation is unknown", async () => {
    await backend.queue.publish([genuine(UNKNOWN)]);
    await work();
    expect([runs, settlements]).toEqual([[], ["ack"]]);
  });

  it("does not repeat finished work", async () => {
    const id = await submit("/reports");
    await work();
    await backend.queue.publish([genuine(id), genuine(id), genuine(id)]);
    await work();
    expect(runs).toHaveLength(1);
  });

  it("cannot change the processor, the tenant or the input of another tenant's operation", async () => {
    const id = UNKNOWN;
    await backend.operations.create({
      id,
      tenant: "tenant-2",
      definition: "exports",
      input: '{"text":"y"}',
      retentionMs: 1_000,
    });
    const announcement = { ...genuine(id), tenant: "tenant-1", input: '{"text":"forged"}', attempt: 99 };
    await backend.queue.publish([announcement]);
    await work();
    expect(runs).toEqual([{ processor: "exports", tenant: "tenant-2", attempt: 1, input: { text: "y" } }]);
  });

  it("costs no attempt if it wakes a worker without a processor for the operation", async () => {
    const id = UNKNOWN;
    await backend.operations.create({
      id,
      tenant: "tenant-2",
      definition: "exports",
      input: '{"text":"y"}',
      retentionMs: 1_000,
    });
    await backend.queue.publish([genuine(id), genuine(id)]);
    await work(["reports"]);
    expect(runs).toEqual([]);
    await work(["exports"]);
    expect(runs).toEqual([{ processor: "exports", tenant: "tenant-2", attempt: 1, input: { text: "y" } }]);
  });

  it("starts no attempt before it is due", async () => {
    const id = await submit("/reports");
    let failures = 0;
    const failing = createWorker(service, {
      reports: () => {
        failures += 1;
        throw new Error("not yet");
      },
    });
    await failing.runUntilIdle();
    await backend.queue.publish(Array.from({ length: 20 }, () => genuine(id)));
    await failing.runUntilIdle();
    expect(failures).toBe(1);
  });
});
