import { inspect } from "node:util";
import {
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type Job,
  type Service,
} from "async-request-reply";
import { parseRingMessage, toRingMessage } from "async-request-reply/ports";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { jsonPost } from "../service/open-service.js";
import { refusalOf } from "../support/refusal.js";

// Messages are untrusted input (docs/security.md): access to the queue lets an attacker wake a worker and nothing else.

const UNKNOWN = "01980000-0000-7000-8000-000000000000";
const input = z.object({ text: z.string() });
const definitions = [
  defineOperation({ name: "reports", path: "/reports", input }),
  defineOperation({ name: "exports", path: "/exports", input }),
] as const;

let clock: ManualClock;
let backend: Backend;
let service: Service<typeof definitions>;
let runs: object[];

beforeEach(() => {
  clock = createManualClock();
  runs = [];
  backend = createMemoryBackend({ clock });
  const authorize = (): { id: string } => ({ id: "tenant-1" });
  service = createService({ definitions, backend, authorize, runtime: { clock, random: () => 0.5 } });
});

/** Starts a worker, and rings for this operation while it works. */
async function workAndRing(ring: object, names: readonly ("reports" | "exports")[] = ["reports", "exports"]) {
  const processorOf =
    (processor: string) =>
    (value: unknown, { tenant, attempt }: Job) =>
      void runs.push({ processor, tenant, attempt, input: value });
  const worker = createWorker(service, Object.fromEntries(names.map((name) => [name, processorOf(name)])));
  await worker.start();
  for (let times = 0; times < 20; times += 1) {
    await backend.queue.publish([{ definition: "reports", ...ring }]);
    await clock.advance(1);
  }
  await worker.stop();
}

async function submit(path: string): Promise<string> {
  const { body } = await service.handle(jsonPost(path, { text: "x" }));
  return (JSON.parse(String(body)) as { operationId: string }).operationId;
}

const genuine = { version: 1, definition: "reports", operationId: UNKNOWN };

describe("S20: a message that is not a ring", () => {
  it.each<[string, unknown]>([
    ["no JSON", "{"],
    ["no object", "null"],
    ["no version", { ...genuine, version: undefined }],
    ["another version", { ...genuine, version: 2 }],
    ["a version that is text", { ...genuine, version: "1" }],
    ["no definition", { ...genuine, definition: undefined }],
    ["an empty definition", { ...genuine, definition: "" }],
    ["a definition of a megabyte", { ...genuine, definition: "x".repeat(1_000_000) }],
    ["an operation that is a list", { ...genuine, operationId: [UNKNOWN] }],
    ["an id in capital letters", { ...genuine, operationId: "01980000-0000-7000-8000-00000000000A" }],
    ["SQL in place of an id", { ...genuine, operationId: `${UNKNOWN}'; DROP TABLE operations; --` }],
  ])("is refused, and not quoted: %s", (_, message) => {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    const error = refusalOf(() => parseRingMessage(text));
    expect(error.code).toBe("CORRUPT_RECORD");
    expect(inspect(error)).not.toMatch(/DROP|xxx/);
  });

  it("cannot add members to a ring", () => {
    const members = { tenant: "tenant-2", input: {}, __proto__: null, attempt: 99 };
    const message = JSON.stringify({ ...genuine, ...members });
    expect(parseRingMessage(message)).toEqual({ definition: "reports", operationId: UNKNOWN });
    expect(parseRingMessage(toRingMessage({ definition: "reports" }))).toEqual({ definition: "reports" });
  });
});

describe("S20: a wrong ring", () => {
  it("does nothing if the operation is unknown", async () => {
    await workAndRing({ operationId: UNKNOWN });
    expect(runs).toEqual([]);
  });

  it("does not repeat finished work", async () => {
    const operationId = await submit("/reports");
    await workAndRing({ operationId });
    expect(runs).toHaveLength(1);
  });

  it("cannot change the processor, the tenant or the input of another tenant's operation", async () => {
    const other = { id: UNKNOWN, tenant: "tenant-2", definition: "exports" };
    await backend.operations.create({ ...other, input: '{"text":"y"}', retentionMs: 1_000 });
    const forged = { tenant: "tenant-1", input: '{"text":"forged"}', attempt: 99 };
    await workAndRing({ operationId: UNKNOWN, ...forged }, ["reports"]);
    expect(runs).toEqual([]);
    await workAndRing({ operationId: UNKNOWN, ...forged });
    expect(runs).toEqual([{ processor: "exports", tenant: "tenant-2", attempt: 1, input: { text: "y" } }]);
  });

  it("starts no attempt before it is due", async () => {
    const options = { tenant: "tenant-1", delayMs: 60_000 };
    const { operationId } = await service.submit(definitions[0], { text: "x" }, options);
    await workAndRing({ operationId });
    expect(runs).toEqual([]);
  });
});
