import { createMemoryBackend } from "async-request-reply";
import { createDirectoryObject } from "async-request-reply/durable-objects";
import type { Action, ActionsRequest, RecordedAction } from "async-request-reply/ports";
import { type ActionsBackend, actionsStoreCases } from "async-request-reply/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMemoryStorage } from "../support/object-storage.js";
import { createObjectsStage } from "../support/objects-stage.js";
import { runSuite } from "../support/run-suite.js";

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

function passTime(ms: number): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  return Promise.resolve();
}

/** The actions of a new directory, as a store. */
function createDirectory(): ActionsBackend["actions"] {
  const { fetch } = createDirectoryObject({ storage: createMemoryStorage() });
  const call = async <Value>(name: string, request: Action | ActionsRequest): Promise<Value> => {
    const headers = { "async-request-reply-call": name };
    const sent = new Request("http://localhost/", { method: "POST", headers, body: JSON.stringify(request) });
    return ((await (await fetch(sent)).json()) as { readonly value: Value }).value;
  };
  return {
    record: (action) => call("recordAction", action),
    list: (request) => call<readonly RecordedAction[]>("actions", request),
    purge: () => Promise.reject(new Error("A directory deletes old actions when it records others.")),
  };
}

runSuite("the actions of a directory", actionsStoreCases, {
  capabilities: { leaseGranularityMs: 1 },
  create: async () => ({
    port: { operations: createMemoryBackend().operations, actions: createDirectory() },
  }),
  passTime,
});

describe("a directory", () => {
  it("deletes actions that are older than 90 days when it records others", async () => {
    const actions = createDirectory();
    const record = (id: string) => actions.record({ id, action: "pause", facts: "{}" });
    const listed = async () => (await actions.list({ limit: 9 })).map(({ id }) => id);
    await record("first");
    await passTime(90 * DAY_MS);
    await record("second");
    expect(await listed()).toEqual(["second", "first"]);
    await passTime(1);
    await record("third");
    expect(await listed()).toEqual(["third", "second"]);
  });
});

describe("an operator over all objects", () => {
  it("keeps what it did in the directory", async () => {
    const { operator, call, advance } = createObjectsStage();
    await call("ada", "/reports", { fails: true });
    await advance(1_000);
    const [failed] = (await operator.list()).operations;
    const ann = { by: "ann", via: "console" };
    await operator.redrive(failed?.operationId ?? "", ann);
    await operator.pause("reports", ann);
    const actions = await operator.actions({ definition: "reports" });
    expect(actions.map(({ action, by, via }) => [action, by, via]).sort()).toEqual([
      ["pause", "ann", "console"],
      ["redrive", "ann", "console"],
    ]);
    const about = await operator.actions({ operationId: failed?.operationId });
    expect(about).toMatchObject([{ action: "redrive", facts: { retriedBy: expect.any(String) } }]);
  });
});
