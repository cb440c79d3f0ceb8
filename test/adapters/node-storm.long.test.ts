import { allowAnonymous, createOrderService, createWorker, type Order } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { modes } from "../support/composed-backend.js";
import { startServer } from "../support/node-harness.js";
import { openRawConnection } from "../support/raw-connection.js";

const KEYS = 500;
const DUPLICATES = 50;
const CONNECTIONS = 100;

/** One request in ten reuses its key with a different order. */
const isMismatch = (duplicate: number): boolean => duplicate % 10 === 9;

function requestOf(key: number, duplicate: number): string {
  const body = `{"itemId":"item-${key}","quantity":${isMismatch(duplicate) ? 2 : 1}}`;
  const fields = `content-type: application/json\r\nidempotency-key: key-${key}\r\ncontent-length: ${body.length}`;
  return `POST /orders HTTP/1.1\r\nhost: a\r\n${fields}\r\n\r\n${body}`;
}

/** Orders the requests so that duplicates of a key arrive on many connections at the same time. */
function requests(): { readonly key: number; readonly duplicate: number }[] {
  const window = 4;
  return Array.from({ length: KEYS / window }, (_, block) =>
    Array.from({ length: DUPLICATES }, (_, duplicate) =>
      Array.from({ length: window }, (_, offset) => ({ key: block * window + offset, duplicate })),
    ),
  ).flat(2);
}

describe.each(modes)("a storm of duplicates with $mode", ({ createBackend }) => {
  it("creates one operation and one run per key, and never answers 5xx", async () => {
    const backend = createBackend();
    const service = createOrderService({ backend, authorize: allowAnonymous() });
    const runs = new Map<string, number>();
    const count = ({ itemId }: Order): void => void runs.set(itemId, (runs.get(itemId) ?? 0) + 1);
    const worker = createWorker(service, { orders: count });
    const server = await startServer(service);
    await worker.start();

    const waiting = requests();
    const statuses: Record<number, number> = {};
    const idsOfKey = new Map<number, Set<string>>();
    async function client(): Promise<void> {
      const connection = openRawConnection(server.port);
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        await connection.write(requestOf(next.key, next.duplicate));
        const { status, body } = await connection.read("POST");
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status !== 202) continue;
        const { operationId } = JSON.parse(body) as { operationId: string };
        idsOfKey.set(next.key, (idsOfKey.get(next.key) ?? new Set()).add(operationId));
      }
      connection.abort();
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
    await worker.stop();
    await server.close();
    await createWorker(service, { orders: count }).runUntilIdle();

    expect(statuses).toEqual({ 202: expect.any(Number), 422: expect.any(Number) });
    expect(Object.values(statuses).reduce((sum, count) => sum + count)).toBe(KEYS * DUPLICATES);
    expect([...idsOfKey.values()].map((ids) => ids.size)).toEqual(Array(KEYS).fill(1));
    const recorded = await backend.operations.list({ internal: true, limit: KEYS * 2 });
    expect(new Set(recorded.map(({ key }) => key)).size).toBe(KEYS);
    expect(recorded).toHaveLength(KEYS);
    expect(recorded.every(({ state }) => state === "completed")).toBe(true);
    expect([...runs.values()]).toEqual(Array(KEYS).fill(1));
  });
});
