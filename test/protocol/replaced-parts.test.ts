import {
  AsyncReplyError,
  allowAnonymous,
  type Backend,
  composeStores,
  createMemoryBackend,
  createMemoryStores,
  createOrderService,
  type Queue,
  withQueue,
} from "async-request-reply";
import type { SeparateStores } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { type Interceptor, interceptBackend, interceptStores } from "../support/intercept-backend.js";
import { replacing } from "../support/replacing.js";

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json", "idempotency-key": "k1" },
  body: '{"itemId":"a","quantity":1}',
};

/** A back end made from a class, whose methods need `this`, and the calls to it. */
function classBackend(): { readonly backend: Backend<never>; readonly calls: string[] } {
  const calls: string[] = [];
  const { operations, queue, submissions } = createMemoryBackend();
  class ClassBackend {
    readonly #calls = calls;
    readonly operations = operations;
    readonly queue = replacing(queue, { close: async () => void calls.push("its queue closed") });
    readonly submissions = submissions;

    async check(): Promise<void> {
      this.#calls.push("checked");
    }

    async close(): Promise<void> {
      this.#calls.push("closed");
    }
  }
  return { backend: new ClassBackend(), calls };
}

function closing(calls: string[], close: Queue["close"] = async () => {}): Queue {
  const { queue } = createMemoryBackend();
  return replacing(queue, {
    close: async () => {
      calls.push("new queue closed");
      await close();
    },
  });
}

/** Submits an order to a back end that is watched, and returns the calls that it got. */
async function callsTo(watched: (note: Interceptor) => Backend | SeparateStores): Promise<readonly string[]> {
  const calls: string[] = [];
  const backend = watched(({ port, method }, proceed) => {
    calls.push(`${port}.${method}`);
    return proceed();
  });
  const service = createOrderService({ backend, authorize: allowAnonymous() });
  expect((await service.handle(post)).status).toBe(202);
  return calls;
}

describe("a back end with another queue", () => {
  it("announces through the new queue, and records key and operation in one step", async () => {
    const { backend } = classBackend();
    const announced: unknown[] = [];
    const queue = replacing(backend.queue, { publish: async (all) => void announced.push(...all) });
    const calls = await callsTo((note) => interceptBackend(withQueue(backend, queue), note));
    expect(calls).toContain("submissions.record");
    expect(announced).toHaveLength(1);
  });

  it("keeps the stores, the atomic steps and the transactions", () => {
    const { backend, calls } = classBackend();
    const changed = withQueue(backend, closing(calls));
    expect(changed.operations).toBe(backend.operations);
    expect(changed.submissions).toBe(backend.submissions);
  });

  it("is validated as before", async () => {
    const { backend, calls } = classBackend();
    await withQueue(backend, closing(calls)).check();
    expect(calls).toEqual(["checked"]);
  });

  it("closes the new queue, then the back end", async () => {
    const { backend, calls } = classBackend();
    await withQueue(backend, closing(calls)).close();
    expect(calls).toEqual(["new queue closed", "closed"]);
  });

  it("closes the back end even if the new queue cannot be closed", async () => {
    const { backend, calls } = classBackend();
    const stuck = closing(calls, () => Promise.reject(new Error("stuck")));
    await expect(withQueue(backend, stuck).close()).rejects.toThrow("stuck");
    expect(calls).toEqual(["new queue closed", "closed"]);
  });
});

describe("two separate stores and a queue", () => {
  it("record key and operation one after the other, if a service is given them", async () => {
    const calls = await callsTo((note) => interceptStores(createMemoryStores(), note));
    const stored = calls.filter((call) => call !== "queue.publish");
    expect(stored).toEqual(["idempotency.bind", "operations.create"]);
  });

  it.each([
    [
      "refuse one of several submissions alone if it is sure not to be recorded",
      "no",
      ["created", "refused"],
    ],
    ["reject all of several submissions if one of them may be recorded", undefined, "STORE_UNAVAILABLE"],
  ] as const)("%s", async (_, recorded, expected) => {
    const error = new AsyncReplyError("STORE_UNAVAILABLE", "It broke.", { ...(recorded && { recorded }) });
    const stores = interceptStores(createMemoryStores(), ({ method, args }, proceed) =>
      method === "bind" && (args[0] as { key: string }).key === "b" ? Promise.reject(error) : proceed(),
    );
    const { submissions } = composeStores(stores);
    const about = { tenant: "t", definition: "orders", input: "1", retentionMs: 1 };
    const list = ["a", "b"].map((key, index) => ({
      operation: { ...about, id: `01900000-0000-7000-8000-00000000000${index}`, key },
      fingerprint: "1:a",
    }));
    const outcome = await submissions.recordMany(list).then(
      (results) => results.map((each) => each.outcome),
      ({ code }: AsyncReplyError) => code,
    );
    expect(outcome).toEqual(expected);
  });

  it("are checked and closed by their own functions", async () => {
    const calls: string[] = [];
    const check = async () => void calls.push("checked");
    const close = async () => void calls.push("closed");
    const backend = composeStores({ ...createMemoryStores(), check, close });
    await backend.check();
    await backend.close();
    expect(calls).toEqual(["checked", "closed"]);
  });

  it("need neither: then the queue is closed", async () => {
    const calls: string[] = [];
    const backend = composeStores({ ...createMemoryStores(), queue: closing(calls) });
    await backend.check();
    await backend.close();
    expect(calls).toEqual(["new queue closed"]);
  });
});

describe("an intercepted back end", () => {
  it("is validated as before", async () => {
    const { backend, calls } = classBackend();
    await interceptBackend(backend, (_, proceed) => proceed()).check();
    expect(calls).toEqual(["checked"]);
  });
});

describe("the memory back end", () => {
  it("can always be used", async () => {
    await expect(createMemoryBackend().check()).resolves.toBeUndefined();
  });
});
